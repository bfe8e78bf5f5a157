import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isLogratioError } from "../../core/base/errors.ts";
import type { LintedConfig, LintReport } from "../../results/lint.ts";
import { PRESETS } from "../presets.ts";
import { LINT_TRAINERS, lintConfig } from "./lint.ts";

const folder = new URL("../../../test/fixtures/configs/", import.meta.url);

function lint(text: string, file = "config.yaml", trainer?: string): LintReport {
  return lintConfig(text, { file, presets: PRESETS, ...(trainer !== undefined && { trainer }) });
}

function lintFixture(name: string): LintReport {
  return lint(readFileSync(new URL(name, folder), "utf8"), name);
}

function only(report: LintReport): LintedConfig {
  expect(report.configs).toHaveLength(1);
  return report.configs[0]!;
}

/** `code@line` of a severity, in the order in which they are told. */
function told({ findings }: LintedConfig, severity: "error" | "warning" | "note"): string[] {
  return findings
    .filter((finding) => finding.severity === severity)
    .map(({ code, line }) => `${code}@${line}`);
}

function listErrors(text: string, file?: string): string[] {
  return told(only(lint(text, file)), "error");
}

describe("good configs", () => {
  it.each([
    [
      "verl-good.yaml",
      "verl",
      ["token importance weights (log-ratio clamped to ±20 nats), truncated above at 2"],
    ],
    [
      "verl-launch.sh",
      "verl",
      [
        "token importance weights (log-ratio clamped to ±20 nats), truncated above at 2",
        "a sequence is masked when the geometric mean of its ratios (Δ clamped to ±20 nats) is outside 0.999001 to 1.001",
      ],
    ],
    [
      "xtuner-good.py",
      "xtuner",
      [
        "token importance weights (log-ratio clamped to ±20 nats)",
        "a token is masked when its weight is outside 0.1 to 5",
        "weights are truncated below at 0.5 and above at 2",
        "a whole sequence is masked when any token's ratio p_trainer / p_rollout is outside 0.0001 to 20",
      ],
    ],
    ["trl-good.py", "trl", ["token importance weights, truncated above at 2"]],
    ["slime-good.sh", "slime", ["token importance weights, truncated below at 0.5 and above at 2"]],
    ["miles-good.sh", "miles", ["token importance weights, set to 0 when outside 0.5 to 2"]],
    ["openrlhf-good.sh", "openrlhf", ["token importance weights, set to 0 when outside 0.5 to 5"]],
  ])("%s is recognised as %s and said in words", (name, trainer, does) => {
    const report = lintFixture(name);
    const config = only(report);
    expect(report.errors).toBe(0);
    expect([config.trainer, config.does]).toEqual([trainer, does]);
    expect(config.confidence).toBe("certain");
  });

  it.each(["nemo-rl", "skyrl", "areal", "prime-rl", "roll", "open-instruct", "ms-swift"])(
    "%s has no error",
    (trainer) => {
      const [name = ""] = readdirSync(folder).filter((file) => file.startsWith(`${trainer}-good`));
      const report = lintFixture(name);
      expect([only(report).trainer, report.errors, only(report).does.length > 0]).toEqual([trainer, 0, true]);
    },
  );

  it("tells values of the file from defaults, with their lines", () => {
    const { settings } = only(lintFixture("verl-good.yaml"));
    const written = settings.map(({ name, origin, line, value }) => [name, origin, line, value]);
    expect(written.slice(0, 3)).toEqual([
      ["rollout_is", "file", 19, "token"],
      ["rollout_is_threshold", "file", 20, 2],
      ["rollout_is_batch_normalize", "default", undefined, false],
    ]);
  });
});

describe("bad configs", () => {
  it.each<[string, string[]]>([
    [
      "verl-bad.yaml",
      [
        "not-switched-on@4",
        "old-name@6",
        "read-as-number@13",
        "misspelt@14",
        "bounds-inverted@16",
        "bounds-inverted@16",
      ],
    ],
    ["trl-bad.yaml", ["old-name@4", "none-is-text@6"]],
    ["slime-bad.sh", ["not-switched-on@1", "not-switched-on@1", "misspelt@2"]],
    ["slime-mis.yaml", ["read-as-text@8"]],
    ["openrlhf-bad.sh", ["order@2", "not-switched-on@2", "old-name@3", "old-name@4"]],
    ["nemo-rl-bad.yaml", ["refused@3", "refused@5", "misspelt@8", "refused@12"]],
    ["skyrl-bad.sh", ["not-switched-on@3", "not-switched-on@4"]],
    ["areal-bad.yaml", ["old-name@3", "not-switched-on@5"]],
    ["prime-rl-bad.toml", ["not-a-ratio@3", "old-name@4", "old-name@5"]],
    ["roll-bad.yaml", ["not-switched-on@4", "not-switched-on@7"]],
    ["open-instruct-bad.sh", ["conflict@1", "old-name@1", "misspelt@1"]],
    ["ms-swift-bad.yaml", ["not-switched-on@3"]],
  ])("%s", (name, errors) => {
    const report = lintFixture(name);
    expect(told(only(report), "error")).toEqual(errors);
    expect(report.errors).toBe(errors.length);
  });

  it("xtuner's bounds the other way round, and a veto that is misspelt, each in its own call", () => {
    const report = lintFixture("xtuner-bad.py");
    expect(report.configs.map((config) => told(config, "error"))).toEqual([["order@6"], ["misspelt@8"]]);
    expect(report.configs[0]?.does).toEqual([]);
    expect(report.findings.map(({ code }) => code)).toEqual(["several-configs"]);
  });

  it("every error says what to write or what the trainer says", () => {
    for (const name of readdirSync(folder)) {
      for (const config of lintFixture(name).configs) {
        for (const { severity, source, instead, message } of config.findings) {
          if (severity === "error") expect([name, message, source ?? instead]).not.toContain(undefined);
        }
      }
    }
  });
});

describe("verl", () => {
  const config = (lines: string): string => `algorithm:\n  rollout_correction:\n${lines}`;

  it("asymmetric k1 bounds are inverted, reciprocal ones are not", () => {
    expect(listErrors(config('    rollout_rs: token_k1\n    rollout_rs_threshold: "0.5_5.0"\n'))).toEqual([
      "bounds-inverted@4",
    ]);
    expect(listErrors(config('    rollout_rs: token_k1\n    rollout_rs_threshold: "0.5_2.0"\n'))).toEqual([]);
  });

  it("a threshold without a level does nothing", () => {
    expect(listErrors(config("    rollout_is_threshold: 5.0\n"))).toEqual(["not-switched-on@3"]);
    expect(listErrors(config("    rollout_rs_threshold: 5.0\n"))).toEqual(["not-switched-on@3"]);
  });

  it("IcePop as text is said, a sum in a metric's name too", () => {
    const text = config(
      '    rollout_is: token\n    rollout_is_threshold: "0.5_5.0"\n    rollout_rs: seq_sum_k1\n    rollout_rs_threshold: 2\n',
    );
    expect(told(only(lint(text)), "warning")).toEqual(
      expect.arrayContaining(["icepop@4", "metric-is-a-sum@5", "reciprocal-bound@6"]),
    );
  });

  it("the dataclass corrects where the YAML does not", () => {
    const python = only(lintFixture("verl-dataclass.py"));
    expect(told(python, "warning")).toContain("default-surprises@3");
    expect(python.does[0]).toContain("sequence importance weights");
    const yaml = only(lint(config("    rollout_rs: token_k3\n    rollout_rs_threshold: 0.1\n")));
    expect(yaml.does[0]).toBe("no importance weights: every weight is 1");
  });

  it("bypass mode with PPO's clip applies no weights", () => {
    const text = config("    rollout_is: token\n    bypass_mode: true\n");
    const bypassed = only(lint(text));
    expect(told(bypassed, "warning")).toEqual(expect.arrayContaining(["no-effect@3", "bypass-mode@4"]));
    expect(bypassed.does).toEqual(["nothing: every weight is 1 and the mask stays as it is"]);
    expect(only(lint(`${text}    loss_type: reinforce\n`)).does[0]).toContain("token importance weights");
  });

  it("settings in the place of earlier versions", () => {
    expect(
      listErrors(
        "algorithm:\n  adv_estimator: grpo\n  rollout_is: true\n  rollout_is_level: geometric\nactor_rollout_ref:\n  actor:\n    clip_ratio: 0.2\n",
      ),
    ).toEqual(expect.arrayContaining(["old-name@3", "old-name@4"]));
  });

  it("what verl itself refuses, in verl's words", () => {
    const { findings, correction, does } = only(
      lint(config("    rollout_is: geometric\n    rollout_is_threshold: 2\n")),
    );
    expect(findings[0]).toMatchObject({
      severity: "error",
      line: 3,
      message: expect.stringContaining("Invalid rollout_is"),
    });
    expect([correction, does]).toEqual([null, []]);
  });
});

describe("other trainers", () => {
  it("slime: both corrections at once", () => {
    expect(listErrors("python slime/train.py --use-tis --use-rollout-logprobs\n", "run.sh")).toEqual([
      "conflict@1",
    ]);
    expect(listErrors("python slime/train.py --use-tis --get-mismatch-metrics\n", "run.sh")).toEqual([
      "refused@1",
    ]);
  });

  it("TRL: nothing without vLLM", () => {
    const config = only(lint('GRPOConfig(\n  vllm_importance_sampling_mode="token_mask",\n)\n', "x.py"));
    expect(told(config, "error")).toEqual(["not-switched-on@2"]);
    expect(config.does).toEqual(["nothing: every weight is 1 and the mask stays as it is"]);
  });

  it("TRL: a product over a long completion has a token budget", () => {
    const text =
      "GRPOConfig(use_vllm=True, max_completion_length=8192, vllm_importance_sampling_clip_max=3.0)";
    const { findings } = only(lint(text, "x.py"));
    const budget = findings.find(({ code }) => code === "token-budget");
    expect(budget).toMatchObject({ severity: "warning", message: expect.stringContaining("8192 tokens") });
    // (log 3 / 0.02)²
    expect(budget?.why).toContain("3017 tokens");
    const short = only(lint(text.replace("8192", "256"), "x.py"));
    expect(short.findings.map(({ code }) => code)).not.toContain("token-budget");
  });

  it("OpenRLHF: one threshold where two belong", () => {
    const command =
      "python -m openrlhf.cli.train_ppo_ray --algo.advantage.is_correction_enable --algo.advantage.is_correction_threshold 2";
    const options = { file: "x.sh", presets: PRESETS, version: "0.11.1" };
    expect(told(only(lintConfig(command, options)), "error")).toEqual(["refused@1"]);
  });

  it("OpenRLHF: bounds of tokens for a geometric mean", () => {
    const command = "python -m openrlhf.cli.train_ppo_ray --algo.advantage.is_correction_level seq";
    expect(told(only(lint(command, "x.sh")), "warning")).toEqual(
      expect.arrayContaining([expect.stringContaining("never-rejects")]),
    );
  });

  it("NeMo-RL: a bound without a type, a type without its lower bound", () => {
    const on = "loss_fn:\n  use_importance_sampling_correction: true\n";
    expect(listErrors(`${on}  truncated_importance_sampling_ratio: 5\n`)).toEqual(["refused@3"]);
    expect(listErrors("loss_fn:\n  truncated_importance_sampling_ratio: 5\n")).toEqual(["not-switched-on@2"]);
    const icepop = `${on}  truncated_importance_sampling_type: icepop\n  truncated_importance_sampling_ratio: 5\n`;
    expect(listErrors(icepop)).toEqual([expect.stringContaining("refused@")]);
    expect(listErrors(`${icepop}  truncated_importance_sampling_ratio_min: 0.5\n`)).toEqual([]);
  });

  it("a product truncated at 2 has the same token budget in every trainer, whatever steps come before it", () => {
    const nemo = `loss_fn:
  use_importance_sampling_correction: true
  sequence_level_importance_ratios: true
  token_level_loss: false
  truncated_importance_sampling_type: tis
  truncated_importance_sampling_ratio: 2.0
policy:
  max_total_sequence_length: 131072
`;
    const trl = `GRPOConfig(
  use_vllm=True,
  max_completion_length=131072,
  vllm_importance_sampling_mode="sequence_truncate",
  vllm_importance_sampling_clip_max=2.0,
)
`;
    const verl = `data:
  max_response_length: 131072
algorithm:
  rollout_correction:
    rollout_is: sequence
    rollout_is_threshold: 2.0
`;
    const budgets = [lint(nemo), lint(trl, "x.py"), lint(verl)].map((report) =>
      only(report).findings.find(({ code }) => code === "token-budget"),
    );
    for (const budget of budgets) {
      expect(budget).toMatchObject({
        severity: "warning",
        message: expect.stringContaining("over up to 131072 tokens"),
      });
      expect(budget!.why).toContain("(0.693 / 0.02)² = 1201 tokens");
    }
    expect(budgets[0]).toMatchObject({ key: "loss_fn.truncated_importance_sampling_ratio", line: 6 });
  });

  it("SkyRL: the old switch counts", () => {
    const { does, findings } = only(
      lint("trainer.algorithm.use_tis=true trainer.algorithm.tis_imp_ratio_cap=4\n", "x.sh"),
    );
    expect(does[0]).toMatch(/token importance weights.*truncated above at 4/);
    expect(findings.map(({ code }) => code)).toContain("old-name");
  });

  it("bounds around 0 instead of 1", () => {
    const text = "algorithm:\n  rollout_correction:\n    rollout_is: token\n    rollout_is_threshold: 0.2\n";
    expect(listErrors(text)).toEqual(["bounds-exclude-agreement@4"]);
  });
});

describe("which trainer", () => {
  it("--trainer overrides what the keys look like", () => {
    const text = "python train.py --use-tis --tis-clip 2\n";
    expect(only(lint(text, "x.sh")).trainer).toBe("slime");
    expect(only(lint(text, "x.sh"))).toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ code: "trainer-unsure" })]),
    });
    expect(only(lint(text, "x.sh", "miles"))).toMatchObject({ trainer: "miles", confidence: "told" });
  });

  it("commands and calls of something else are passed over", () => {
    const text = "ray start --head --num-gpus 8\npip install --upgrade x\npython3 slime/train.py --use-tis\n";
    expect(only(lint(text, "x.sh")).name).toBe("slime/train.py");
  });

  it.each([
    ["model: x\nlr: 1e-6\n", undefined, "no trainer is recognized"],
    ["model: x\n", "verl", "no setting of verl's correction"],
  ])("%j is refused with the keys that would tell", (text, trainer, message) => {
    try {
      lint(text, "x.yaml", trainer);
      expect.unreachable();
    } catch (error) {
      if (!isLogratioError(error, "SchemaError")) throw error;
      expect(error.message).toContain(message);
      expect(error.hint).toContain("rollout_correction");
    }
  });

  it("an unknown trainer is a wrong use", () => {
    expect(() => lint("a: 1\n", "x.yaml", "deepspeed")).toThrow(/not a trainer that the linter knows/);
    expect(LINT_TRAINERS).toContain("nemo-rl");
  });

  it("every trainer of the linter has a preset, its own or that of the trainer whose formulas it has", () => {
    const names = PRESETS.map(({ name }) => name);
    const without = LINT_TRAINERS.filter((name) => !names.includes(name));
    expect(without).toEqual(["rllm", "axolotl", "tunix"]);
  });
});

describe("values", () => {
  it("set twice: the last one counts", () => {
    const config = only(
      lint(
        "p verl.trainer.main_ppo algorithm.rollout_correction.rollout_is=sequence \\\n algorithm.rollout_correction.rollout_is=token\n",
        "x.sh",
      ),
    );
    expect(told(config, "warning")).toContain("set-twice@2");
    expect(config.settings[0]?.value).toBe("token");
  });

  it("what a config that is not read may set is not an error", () => {
    const text =
      "defaults: base.yaml\nloss_fn:\n  truncated_importance_sampling_type: tis\n  truncated_importance_sampling_ratio: 2\n";
    const report = lint(text);
    expect([report.errors, report.findings.map(({ code, line }) => `${code}@${line}`)]).toEqual([
      0,
      ["inherits@1"],
    ]);
    expect(lint(text.replace("defaults: base.yaml\n", "")).errors).toBe(1);
  });

  it("a trap of a default that a config that is not read may set is a note", () => {
    const product = (flags: string) =>
      only(
        lint(
          `trl grpo --use_vllm true --max_completion_length 512 --vllm_importance_sampling_clip_max 2 ${flags}\n`,
          "x.sh",
        ),
      )
        .findings.filter(({ code }) => code === "product-ratio")
        .map(({ severity, why }) => [severity, why]);
    const unless = "unless --config (line 1), which is not read, sets vllm_importance_sampling_mode";
    expect(product("")).toEqual([["warning", undefined]]);
    expect(product("--config base.yaml")).toEqual([["note", unless]]);
    expect(product("--config base.yaml --vllm_importance_sampling_mode sequence_mask")).toEqual([
      ["warning", undefined],
    ]);
  });

  it("what only the run knows is said, and read as the default", () => {
    const text = "python slime/train.py --use-tis --tis-clip $CLIP\n";
    const { settings, findings } = only(lint(text, "x.sh"));
    expect(settings.find(({ name }) => name === "tis_clip")).toMatchObject({
      origin: "file",
      line: 1,
      unsure: expect.stringContaining("$CLIP"),
    });
    expect(settings.find(({ name }) => name === "tis_clip")).not.toHaveProperty("value");
    expect(findings.map(({ code }) => code)).toContain("value-unknown");
  });

  it("a flag before a positional argument is still on", () => {
    expect(only(lint("slime --use-tis train.py\n", "x.sh")).settings[0]).toMatchObject({
      name: "use_tis",
      value: true,
    });
  });
});
