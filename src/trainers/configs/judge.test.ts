import { describe, expect, it } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import type { LintedConfig } from "../../results/lint.ts";
import { PRESETS } from "../presets.ts";
import type { FoundVersion } from "./judge.ts";
import { type LintOptions, lintConfig } from "./lint.ts";

const GATE =
  "python -m openrlhf.cli.train_ppo_ray --algo.advantage.is_correction_level token --algo.advantage.is_correction_threshold 2";
const SWITCH =
  "python -m openrlhf.cli.train_ppo_ray --algo.advantage.is_correction_enable --algo.advantage.is_correction_type icepop --algo.advantage.is_correction_threshold 0.5 5";
const FLAGS =
  "python -m openrlhf.cli.train_ppo_ray --enable_vllm_is_correction --vllm_is_correction_type icepop --vllm_is_truncated_threshold 0.5 5";
const ICEPOP = ["token importance weights, set to 0 when outside 0.5 to 5"];

function lint(text: string, options: Partial<LintOptions> = {}, file = "run.sh"): LintedConfig {
  const { configs } = lintConfig(text, { file, presets: PRESETS, ...options });
  expect(configs).toHaveLength(1);
  return configs[0]!;
}

const errors = ({ findings }: LintedConfig): string[] =>
  findings.filter(({ severity }) => severity === "error").map(({ code }) => code);
const codes = ({ findings }: LintedConfig): string[] => findings.map(({ code }) => code);

describe("a config is judged by its own release", () => {
  it.each([
    ["0.11.2", { [GATE]: true, [SWITCH]: false, [FLAGS]: false }],
    ["2026-09-14", { [GATE]: true, [SWITCH]: false, [FLAGS]: false }],
    ["0.11.1", { [GATE]: false, [SWITCH]: true, [FLAGS]: false }],
    ["2026-09-13", { [GATE]: false, [SWITCH]: true, [FLAGS]: false }],
    ["0.10.2", { [GATE]: false, [SWITCH]: true, [FLAGS]: false }],
    ["0.10.1", { [GATE]: false, [SWITCH]: false, [FLAGS]: true }],
  ])("OpenRLHF %s takes its own keys and no others", (version, taken) => {
    for (const [text, takes] of Object.entries(taken)) {
      const config = lint(text, { version });
      expect([text, errors(config).length === 0, config.does.length > 0]).toEqual([text, takes, takes]);
      expect(config.judged).toEqual({ release: version, from: "as told" });
    }
  });

  it("with the same words for the same settings under other names", () => {
    expect(lint(SWITCH, { version: "0.11.1" }).does).toEqual(ICEPOP);
    expect(lint(FLAGS, { version: "0.9.10" }).does).toEqual(ICEPOP);
  });

  it("and by the newest that was read where none is known, which is said", () => {
    expect(lint(GATE).judged).toEqual({ release: "0.11.2", date: "2026-09-14" });
    expect(lint(SWITCH).findings.find(({ code }) => code === "old-name")?.message).toBe(
      "--algo.advantage.is_correction_enable is a name from before 0.11.2: as of 0.11.2, OpenRLHF does not take it",
    );
  });

  it("which a lock file may say, and a told version overrides", () => {
    const versions = (distribution: string): FoundVersion | undefined =>
      distribution === "openrlhf" ? { version: "0.11.1", from: "uv.lock, line 7" } : undefined;
    expect(lint(SWITCH, { versions })).toMatchObject({
      judged: { release: "0.11.1", from: "uv.lock, line 7" },
      does: ICEPOP,
    });
    expect(lint(SWITCH, { versions, version: "0.11.2" }).does).toEqual([]);
  });
});

describe("a version that cannot be what is judged by", () => {
  it("is said to be newer than what was read", () => {
    const config = lint(GATE, { version: "0.12.0" });
    expect(codes(config)).toContain("newer-release");
    expect(config.judged).toEqual({ release: "0.11.2", date: "2026-09-14" });
  });

  it("is said to be older than what is known", () => {
    const old =
      "algorithm:\n  rollout_correction:\n    rollout_is: token\n    rollout_token_veto_threshold: 1e-4\n";
    const config = lint(old, { version: "0.6.1" }, "a.yaml");
    expect(codes(config)).toEqual(expect.arrayContaining(["older-release", "other-release"]));
    expect(config.findings.find(({ code }) => code === "older-release")?.message).toMatch(
      /verl 0\.6\.1 \(as told\) is older than 0\.7\.1/,
    );
    // That release takes the key, so nothing says that it stops.
    expect(codes(config)).not.toContain("old-name");
  });

  it("is said not to be comparable where changes are known by their day", () => {
    const text = '[trainer.loss]\ntype = "ipo"\neps = 0.1\n';
    const config = lint(text, { version: "0.5.0" }, "rl.toml");
    expect(config.findings.find(({ code }) => code === "version-unplaced")?.instead).toContain("2026-08-20");
    expect(config.judged).toEqual({ release: "2026-09-18" });
  });

  it("is refused where it is none, or of one of several trainers", () => {
    expect(() => lint(GATE, { version: "main" })).toThrow(UsageError);
    const both = "GRPOConfig(use_vllm=True)\nRolloutImportanceSampling(rollout_is_level='token')\n";
    expect(() => lintConfig(both, { file: "a.py", presets: PRESETS, version: "1.0" })).toThrow(
      /version 1\.0 is of one trainer, but a\.py has configs of TRL and xtuner/,
    );
  });
});

describe("keys of AReaL before rejection_sampling", () => {
  const OLD =
    "actor:\n  use_decoupled_loss: true\n  behave_imp_weight_cap: 3.0\n  behave_imp_weight_mode: token_truncate\n";
  const NEW = "actor:\n  use_decoupled_loss: true\n  rejection_sampling:\n    level: token\n    upper: 3.0\n";

  it("do nothing in the newest release, which raises", () => {
    const config = lint(OLD, {}, "a.yaml");
    expect([config.does, config.correction]).toEqual([[], null]);
    expect(errors(config)).toEqual(["old-name", "old-name"]);
  });

  it("are what they were in an older one; its newer keys may have come before they were read", () => {
    expect(lint(OLD, { version: "0.5.0" }, "a.yaml")).toMatchObject({
      does: ["token importance weights, truncated below at 0 and above at 3"],
      findings: expect.not.arrayContaining([expect.objectContaining({ severity: "error" })]),
    });
    expect(errors(lint(NEW, { version: "1.0.3" }, "a.yaml"))).toEqual([]);
    const disabled = OLD.replace("token_truncate", "disabled");
    expect(lint(disabled, { version: "0.5.0" }, "a.yaml").does[0]).toContain("every weight is 1");
  });
});
