import { describe, expect, it } from "vitest";
import { checkDialect, lintTold } from "../configs/table.test-data.ts";

const V = "vllm_importance_sampling_";
const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join("");
const call = (args: string): string => `GRPOConfig(${args})`;
const ON = "→ use_vllm=True";
const CORRECTION = `→ ${V}correction=True`;

checkDialect("trl", {
  says: [
    // The deprecated name.
    [
      "a.yaml",
      lines("use_vllm: true", `${V}cap: 2`, `${V}clip_max: 3`),
      [
        `error old-name@2 → ${V}clip_max=2`,
        /overrides vllm_importance_sampling_clip_max: clip_max is 2, not 3$/,
      ],
    ],
    [
      "a.yaml",
      lines("use_vllm: true", `${V}cap: 2`),
      [`warning old-name@2 → ${V}clip_max=2`, /is a deprecated name$/],
    ],
    ["a.yaml", lines("use_vllm: true", `${V}cap: null`), "no old-name"],
    ["a.yaml", lines("use_vllm: true", `${V}clip_max: 2`), "no old-name"],
    // The asynchronous trainer has a config of its own.
    [
      "a.py",
      "AsyncGRPOConfig(num_generations=8, max_completion_length=4096, epsilon=0.2)",
      ["note rollout-as-old@1", /epsilon and epsilon_high bound mismatch and update together$/],
      "no refused",
      "no not-switched-on",
    ],
    [
      "a.py",
      `AsyncGRPOConfig(epsilon=0.2, ${V}mode="token_mask")`,
      [`error refused@1 → omit ${V}mode, or GRPOConfig with GRPOTrainer`, /^AsyncGRPOConfig has no/],
      "no not-switched-on",
    ],
    // The KL penalty of 1.10 and later.
    [
      "a.yaml",
      lines("use_vllm: true", `${V}clip_max: 2`, "beta: 0.01"),
      ["note default-surprises@3 → use_bias_correction_kl=False for the penalty of earlier releases"],
    ],
    ["a.yaml", lines("use_vllm: true", `${V}clip_max: 2`, "beta: 0.0"), "no default-surprises"],
    [
      "a.yaml",
      lines("use_vllm: true", `${V}clip_max: 2`, "beta: 0.01", "use_bias_correction_kl: true"),
      "no default-surprises",
    ],
    // Without vLLM there is nothing to correct against.
    [
      "a.yaml",
      lines("use_vllm: false", `${V}mode: token_mask`),
      [`error not-switched-on@1 ${ON}`, /_mode has no effect: use_vllm is False$/],
    ],
    [
      "a.yaml",
      lines(`${V}mode: token_mask`),
      [`error not-switched-on@1 ${ON}`, /not given, and defaults to False$/],
    ],
    ...["correction: true", "mode: token_mask", "clip_max: 2", "clip_min: 0.5"].map(
      (line) =>
        [
          "a.yaml",
          lines("max_completion_length: 1", `${V}${line}`),
          [`error not-switched-on@2 ${ON}`, new RegExp(`^${V}${line.split(":")[0]} has no effect`)],
        ] as const,
    ),
    ["a.yaml", lines(`${V}correction: false`), "no not-switched-on"],
    ["a.yaml", lines("use_vllm: true", `${V}mode: token_mask`), "no not-switched-on"],
    ["a.py", call(`use_vllm=flag, ${V}mode="token_mask"`), "no not-switched-on"],
    ["a.yaml", lines("use_vllm: false", "max_completion_length: 1"), "no not-switched-on"],
    // VESPO.
    [
      "a.yaml",
      lines("use_vllm: true", `${V}mode: token_mask`, "loss_type: vespo"),
      ["note loss-type@3", /enters VESPO's own weights/],
    ],
    [
      "a.yaml",
      lines("use_vllm: true", `${V}mode: sequence_mask`, "loss_type: vespo"),
      [`error loss-type@3 → ${V}mode="token_truncate"`, /TRL stops: .*, not sequence_mask$/],
    ],
    ["a.yaml", lines("use_vllm: true", `${V}mode: sequence_mask`, "loss_type: grpo"), "no loss-type"],
    ["a.yaml", lines("use_vllm: true", `${V}correction: false`, "loss_type: vespo"), "no loss-type"],
    // Liger.
    [
      "a.yaml",
      lines("use_vllm: true", "use_liger_kernel: true", "off_policy_mask_threshold: 0.1"),
      [
        "error refused@3 → use_liger_kernel=False, or off_policy_mask_threshold=None",
        /does not work with use_liger_kernel=True$/,
      ],
    ],
    [
      "a.yaml",
      lines("use_vllm: true", "use_liger_kernel: false", "off_policy_mask_threshold: 0.1"),
      "no refused",
    ],
    [
      "a.yaml",
      lines("use_vllm: true", "use_liger_kernel: true", "off_policy_mask_threshold: null"),
      "no refused",
    ],
    ["a.yaml", lines("use_vllm: true", "use_liger_kernel: true"), "no refused"],
    // The switch of the correction.
    ...["mode: token_mask", "clip_max: 2", "clip_min: 0.5"].map(
      (line) =>
        [
          "a.yaml",
          lines("use_vllm: true", `${V}correction: false`, `${V}${line}`),
          [`error not-switched-on@3 ${CORRECTION}`, /correction is False$/],
        ] as const,
    ),
    ["a.yaml", lines("use_vllm: true", `${V}correction: true`, `${V}clip_max: 2`), "no not-switched-on"],
    // Traps, where they are.
    [
      "a.yaml",
      lines("use_vllm: true", "max_completion_length: 512", `${V}mode: sequence_mask`),
      ["warning product-ratio@3", /product over the sequence/],
    ],
    ["a.yaml", lines("use_vllm: true", `${V}mode: token_mask`), "no product-ratio", "no no-bounds"],
    [
      "a.yaml",
      lines("use_vllm: true", `${V}clip_max: null`),
      ["warning no-bounds@2", /raw ratios multiply the loss/],
    ],
    // Slips.
    [
      "a.yaml",
      lines("use_vllm: true", `${V}mod: token_mask`),
      [`error misspelt@2 → ${V}mode`, /^TRL has no/],
    ],
    ["a.py", call(`use_vllm=True, ${V}mod="token_mask"`), `error misspelt@1 → ${V}mode`],
    ["a.yaml", `grpo:\n  ${V}mode: token_mask\n  ${V}clip_mx: 2\n`, `error misspelt@3 → grpo.${V}clip_max`],
    ["a.yaml", `training_args:\n  ${V}clip_mx: 2\n`, `error misspelt@2 → training_args.${V}clip_max`],
  ],
  marks: [
    [
      [`${V}x`, `a.${V}x`],
      [`my_${V}x`, "vllm_importance_samplings_x"],
    ],
    [
      ["use_vllm", "a.use_vllm", "vllm_mode", "max_completion_length"],
      ["my_use_vllm", "use_vllms", "a.max_completion_lengths"],
    ],
  ],
  texts: ["use_vllm", ["from trl import x", "trl grpo --x"], ["from trlx", "trl grpos", "atrl grpo", "trl"]],
  known: [["", [`${V}cap`, "importance_sampling_level"], "use_vllm: true\n"]],
});

describe("what is left of TRL's correction", () => {
  const NOTHING = ["nothing: every weight is 1 and the mask stays as it is"];
  const does = (text: string, file?: string): readonly string[] => lintTold(text, "trl", file).does;

  it("without vLLM is the mask of updates, which needs none", () => {
    const text = (vllm: string): string =>
      lines(`use_vllm: ${vllm}`, `${V}mode: token_mask`, "off_policy_mask_threshold: 0.1");
    expect(does(text("true"))).toHaveLength(2);
    expect(does(text("false")).join()).not.toContain("importance weights");
    expect(does(text("false"))).not.toEqual(NOTHING);
    expect(does(lines("use_vllm: false", `${V}mode: token_mask`))).toEqual(NOTHING);
  });

  it("is all of it where a file may be a part, and nothing in a call that leaves vLLM out", () => {
    expect(does(lines(`${V}mode: token_mask`)).join()).toContain("importance weights");
    expect(does(call(`${V}mode="token_mask"`), "a.py")).toEqual(NOTHING);
    expect(does(call(`use_vllm=True, ${V}mode="token_mask"`), "a.py").join()).toContain("importance weights");
  });

  it("has the deprecated cap as its bound", () => {
    const bound = (line: string): unknown =>
      lintTold(lines("use_vllm: true", `${V}clip_max: 3`, line), "trl").settings.find(
        ({ name }) => name === `${V}clip_max`,
      )?.value;
    expect([bound(`${V}cap: 2`), bound(`${V}cap: null`), bound("beta: 0")]).toEqual([2, 3, 3]);
  });
});

checkDialect("trl", {
  version: "1.5.0",
  says: [
    ["a.yaml", lines("use_vllm: true", `${V}cap: 2`), "no old-name", "no misspelt"],
    [
      "a.yaml",
      lines("use_vllm: true", `${V}clip_max: 2`),
      [`error later-name@2 → ${V}cap`, /came with 1\.6\.0: TRL 1\.5\.0 does not take it$/],
    ],
    ["a.yaml", lines("use_vllm: true", `${V}cap: 2`, "beta: 0.01"), "no default-surprises"],
  ],
  marks: [],
});

it("the cap of TRL 1.5 is the upper bound of 1.6", () => {
  const text = lines("use_vllm: true", `${V}mode: token_truncate`, `${V}cap: 2.0`);
  const config = lintTold(text, "trl", "a.yaml", "1.5.0");
  expect(config.does).toEqual(["token importance weights, truncated above at 2"]);
  expect(config.settings.find(({ value }) => value === 2)?.name).toBe(`${V}cap`);
});
