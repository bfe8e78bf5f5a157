import { describe, expect, it } from "vitest";
import type { LintedConfig } from "../../results/lint.ts";
import { PRESETS } from "../presets.ts";
import { lintConfig } from "./lint.ts";
import { editDistance } from "./misspelt.ts";

function only(text: string, file = "config.yaml", trainer?: string): LintedConfig {
  const { configs } = lintConfig(text, { file, presets: PRESETS, ...(trainer !== undefined && { trainer }) });
  expect(configs).toHaveLength(1);
  return configs[0]!;
}
const who = (text: string, file?: string): unknown[] => {
  const { trainer, confidence } = only(text, file);
  return [trainer, confidence];
};

describe("whose config it is", () => {
  it.each<[text: string, file: string, trainer: string, confidence: string]>([
    // A setting in its section is worth 10, one alone 6, a mark 3, a name in the text 2.
    ["algorithm:\n  rollout_correction:\n    rollout_is: token\n", "a.yaml", "verl", "certain"],
    ["bypass: 1\nrollout_correction:\n  rollout_is: token\n", "a.yaml", "verl", "certain"],
    ["RolloutImportanceSampling(rollout_is_mode='mask')", "a.py", "xtuner", "certain"],
    ["# verl.trainer.main_ppo\ntrainer:\n  test_freq: 1\n", "a.yaml", "verl", "guess"],
    ["trainer:\n  test_freq: 1\nalgorithm:\n  adv_estimator: grpo\n", "a.yaml", "verl", "likely"],
    ["off_policy_mask_threshold: 0.1\n", "a.yaml", "trl", "likely"],
    ["rlhf_type: grpo\nlog_rollout_offpolicy_metrics: true\n", "a.yaml", "ms-swift", "certain"],
    ["p train.py --use-tis --tis-clip 2", "a.sh", "slime", "likely"],
    ["p miles/train.py --use-tis --tis-clip 2", "a.sh", "miles", "certain"],
  ])("%j in %s", (text, file, trainer, confidence) => {
    expect(who(text, file)).toEqual([trainer, confidence]);
  });

  it("is unsure where another fits half as well, and says which", () => {
    const { findings, confidence } = only("p train.py --use-tis --tis-clip 2", "a.sh");
    expect(findings.find(({ code }) => code === "trainer-unsure")).toMatchObject({
      severity: "note",
      message: "these keys could also be miles's",
      instead: "--preset miles, or --preset slime to be sure",
    });
    expect(confidence).not.toBe("certain");
    const named = only("p miles/train.py --use-tis --tis-clip 2", "a.sh");
    expect(named.findings.map(({ code }) => code)).not.toContain("trainer-unsure");
  });

  it("does not rest on a name that many could have, nor on a word in the text alone", () => {
    for (const text of [
      "level: token\nupper: 5\n",
      "# verl.trainer.main_ppo\nlr: 1\n",
      "enabled: true\nfilters: a\n",
      "vllm_mode: a\n",
    ])
      expect(() => only(text), text).toThrow(/no trainer is recognized/);
  });

  it("says what spoke for it, at most four times, each key once", () => {
    const { because } = only(
      "algorithm:\n  adv_estimator: grpo\n  rollout_correction:\n    rollout_is: token\n    rollout_is_threshold: 2\n    rollout_rs: token_k3\n    rollout_rs_threshold: 0.1\ntrainer:\n  test_freq: 1\n",
    );
    expect(because).toEqual([
      "algorithm.rollout_correction.rollout_is (line 4)",
      "algorithm.rollout_correction.rollout_is_threshold (line 5)",
      expect.stringContaining("rollout_"),
      expect.stringContaining("rollout_rs"),
    ]);
    expect(only("RolloutImportanceSampling(rollout_is_mode='mask')", "a.py").because).toEqual([
      "a call of RolloutImportanceSampling",
      "rollout_is_mode (line 1)",
    ]);
  });

  it("passes over a call of another class with one argument of the name, and reads one with two", () => {
    expect(() => only("Other(rollout_is_mode='mask')", "a.py")).toThrow(/no trainer is recognized/);
    expect(who("Other(rollout_is_mode='mask', rollout_is_level='token')", "a.py")[0]).toBe("xtuner");
  });

  it("is whose it is told to be, where there is anything of it", () => {
    expect(only("p train.py --use-tis", "a.sh", "miles")).toMatchObject({
      trainer: "miles",
      confidence: "told",
    });
    expect(() => only("p train.py --use-tis", "a.sh", "verl")).toThrow(
      /no setting of verl's correction is among the 1 key of this file/,
    );
    expect(() => only("a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\n")).toThrow(
      expect.objectContaining({
        message: "no trainer is recognized by the 6 keys of this file",
        likely: "it starts with a, b, c, d, e; the correction may be in another file",
        at: { file: "config.yaml" },
      }),
    );
  });
});

describe("slips of the keyboard", () => {
  it.each([
    ["", "", 0],
    ["abc", "abc", 0],
    ["abc", "", 3],
    ["", "ab", 2],
    ["abc", "abd", 1],
    ["abc", "ab", 1],
    ["abc", "xabc", 1],
    // Two neighbors that changed places are one slip, wherever they stand.
    ["abcd", "bacd", 1],
    ["abcd", "abdc", 1],
    ["abcd", "badc", 2],
    ["ca", "abc", 3],
    ["kitten", "sitting", 3],
  ])("%s and %s are %d apart", (a, b, distance) => {
    expect([editDistance(a, b), editDistance(b, a)]).toEqual([distance, distance]);
  });

  const meant = (line: string, file = "config.yaml", prefix = ""): (string | undefined)[] =>
    only(`${prefix}${line}`, file).findings.flatMap(({ code, instead }) =>
      code === "misspelt" ? [instead] : [],
    );

  it("are found within two letters, within one in short names, and never in the first", () => {
    const verl = (key: string) =>
      meant(`    ${key}: 1\n`, "a.yaml", "algorithm:\n  rollout_correction:\n    rollout_rs: token_k3\n");
    expect(verl("rollout_is_treshold")).toEqual(["algorithm.rollout_correction.rollout_is_threshold"]);
    expect(verl("rolout_is_treshold")).toEqual(["algorithm.rollout_correction.rollout_is_threshold"]);
    expect(verl("rolout_is_tresold")).toEqual([]);
    expect(verl("xollout_is")).toEqual([]);
    const areal = (key: string) => meant(`  ${key}: 1\n`, "a.yaml", "rejection_sampling:\n  action: mask\n");
    expect(areal("leve")).toEqual(["rejection_sampling.level"]);
    expect(areal("lvl")).toEqual([]);
    expect(areal("metrc")).toEqual(["rejection_sampling.metric"]);
    expect(areal("mtrc")).toEqual([]);
  });

  it("take the nearest name, in the spelling of the key", () => {
    expect(meant("p train.py --use-tis --tis-clp-low 1", "a.sh")).toEqual(["--tis-clip-low"]);
    expect(meant("p train.py --use_tis --tis_clp_low 1", "a.sh")).toEqual(["--tis_clip_low"]);
    expect(
      meant("python -m openrlhf.x --algo.advantage.is_correction_mod mask --algo.advantage.gamma 1", "a.sh"),
    ).toEqual(["--algo.advantage.is_correction_mode"]);
  });

  it("alone on a command line are believed within one letter where the name is short", () => {
    expect(meant("p train.py --use-tis --tis-clpi 1", "a.sh")).toEqual(["--tis-clip"]);
    expect(meant("p train.py --use-tis --ts-clp 1", "a.sh")).toEqual([]);
  });

  it("are none in lists, whose items have numbers", () => {
    const { findings } = only(
      "train_infer_correction:\n  filters:\n    - enabled: true\n      ratio_low: 0.5\n",
    );
    expect(findings.filter(({ code }) => code === "misspelt")).toEqual([]);
  });
});
