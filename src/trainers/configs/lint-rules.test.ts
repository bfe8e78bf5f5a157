import { describe, expect, it } from "vitest";
import type { LintFinding } from "../../results/lint.ts";
import { PRESETS } from "../presets.ts";
import { lintConfig } from "./lint.ts";

function findings(text: string, file: string): readonly LintFinding[] {
  const report = lintConfig(text, { file, presets: PRESETS });
  expect(report.configs).toHaveLength(1);
  return report.configs[0]!.findings;
}

/** Settings of verl's rollout correction, one a line. */
const verl = (...lines: string[]): readonly LintFinding[] =>
  findings(
    `algorithm:\n  rollout_correction:\n${lines.map((line) => `    ${line}\n`).join("")}`,
    "config.yaml",
  );
const trl = (settings: string): readonly LintFinding[] =>
  findings(`GRPOConfig(use_vllm=True, ${settings})`, "train.py");
const of = (all: readonly LintFinding[], code: string): LintFinding | undefined =>
  all.find((finding) => finding.code === code);
const severity = (all: readonly LintFinding[], code: string): string | undefined => of(all, code)?.severity;

describe("xtuner's pairs", () => {
  const order = (pair: string): LintFinding | undefined =>
    of(findings(`RolloutImportanceSampling(rollout_is_threshold=${pair})`, "train.py"), "order");

  it("stand in a call that stops at what it does not know", () => {
    const found = of(
      findings("RolloutImportanceSampling(rollout_is_threshold=(2, 0.5), clip=3)", "train.py"),
      "unknown-key",
    );
    expect(found).toMatchObject({ severity: "error", message: "xtuner has no clip" });
    expect(found?.source).toContain('extra="forbid"');
    expect(of(trl("clip=3, vllm_importance_sampling_correction=True"), "unknown-key")).toBeUndefined();
  });

  it("stand beside other trainers' classes that stop at what they do not know", () => {
    const calls = {
      'RolloutCorrectionConfig(rollout_is="token", rollout_clip=3)': "verl has no rollout_clip",
      'OffPolicyCorrectionConfig(tis_ratio_type="token", clip=3)': "SkyRL has no clip",
      "IPOLossConfig(eps=0.2, clip=3)": "prime-rl has no clip",
    };
    for (const [call, message] of Object.entries(calls)) {
      const found = of(findings(call, "train.py"), "unknown-key");
      expect(found).toMatchObject({ severity: "error", message });
      expect(found?.why).toMatch(/^as of \S+, \S+ stops at an unknown key$/);
    }
    const loss = "[trainer.loss]\ndppo_mask_high = 0.2\nnot_a_key = 1\nteacher_tau = 0.0\n";
    const unknown = findings(loss, "rl.toml").filter(({ code }) => code === "unknown-key");
    expect(unknown.map(({ key, severity: grade }) => [key, grade])).toEqual([
      ["trainer.loss.not_a_key", "warning"],
    ]);
  });

  it("are turned where they are the other way round, and not repeated where both are equal", () => {
    expect(order("(0.8, 1.2)")?.instead).toBe("rollout_is_threshold=(1.2, 0.8)");
    const equal = order("(0.5, 0.5)");
    expect(equal?.message).toContain("is (upper, lower), but both are 0.5");
    expect(equal?.instead).toBe(
      "two different bounds, the upper one first, such as rollout_is_threshold=(2.0, 0.5)",
    );
    expect(order("(2, 0.5)")?.severity).toBe("note");
  });
});

describe("bounds that leave out agreement", () => {
  const outside = (bounds: string) => verl("rollout_rs: token_k1", `rollout_rs_threshold: "${bounds}"`);

  it("are an error, on either side of 1, and say what happens", () => {
    for (const bounds of ["1.1_2.0", "0.5_0.9"]) {
      const found = of(outside(bounds), "bounds-exclude-agreement");
      expect(found).toMatchObject({ severity: "error", line: 4 });
      expect(found!.message).toMatch(/leave out 0, the value where both policies agree: they are masked$/);
    }
    for (const bounds of ["1.0_2.0", "0.5_1.0", "0.5_2.0"])
      expect(severity(outside(bounds), "bounds-exclude-agreement")).toBeUndefined();
  });

  it("of weights move every weight, or take it away", () => {
    const weights = (threshold: string) =>
      of(verl("rollout_is: token", `rollout_is_threshold: ${threshold}`), "bounds-exclude-agreement");
    expect(weights("0.2")!.message).toMatch(/−∞ to 0\.2 leave out 1.*: every weight is moved away from 1$/);
    expect(weights('"1.1_2.0"')!.message).toMatch(/1\.1 to 2 leave out 1.*: they lose their weight$/);
    expect(weights("1.0")).toBeUndefined();
  });
});

describe("bounds of a geometric mean", () => {
  const mean = (bounds: string) =>
    of(verl("rollout_rs: seq_mean_k1", `rollout_rs_threshold: "${bounds}"`), "never-rejects");

  it("are a warning where they lie more than a tenth from 1 on both sides", () => {
    expect(mean("0.5_2.0")).toMatchObject({
      severity: "warning",
      message: "a geometric mean of ratios between 0.5 and 2 passes nearly every sequence",
    });
    // verl's k1 bounds the inverse ratio: 1/1.12 to 1/0.9.
    expect(mean("0.9_1.12")!.message).toContain("between 0.893 and 1.11 ");
    expect(mean("0.91_1.12")).toBeUndefined();
    expect(mean("0.9_1.09")).toBeUndefined();
  });

  it("are not a matter of tokens and products", () => {
    for (const option of ["token_k1", "seq_sum_k1"])
      expect(
        of(verl(`rollout_rs: ${option}`, 'rollout_rs_threshold: "0.5_2.0"'), "never-rejects"),
      ).toBeUndefined();
  });
});

describe("products over a sequence", () => {
  const budget = (length: string) =>
    of(trl(`vllm_importance_sampling_clip_max=3.0${length}`), "token-budget");

  it("are a warning where sequences may be longer than the budget, else a note", () => {
    // (log 3 / 0.02)² = 3017.
    expect(budget(", max_completion_length=3018")!.severity).toBe("warning");
    expect(budget(", max_completion_length=3017")!.severity).toBe("note");
    expect(budget(", max_completion_length=1024")!.severity).toBe("note");
    expect(budget(", max_completion_length=1023")).toBeUndefined();
    expect(budget("")!).toMatchObject({
      severity: "note",
      message: "a product of ratios reaches its bound of 1.1 nats by chance at about 3017 tokens",
    });
  });

  it("have a budget by the nearer of two bounds", () => {
    const both = of(
      trl("vllm_importance_sampling_clip_max=3.0, vllm_importance_sampling_clip_min=0.5"),
      "token-budget",
    );
    // (log 2 / 0.02)².
    expect(both!.message).toContain("0.693 nats by chance at about 1201 tokens");
  });

  it("are not said of weights of tokens, and take the place of the trap that says the same", () => {
    const tokens = trl('vllm_importance_sampling_mode="token_mask"');
    expect([severity(tokens, "token-budget"), severity(tokens, "product-ratio")]).toEqual([
      undefined,
      undefined,
    ]);
    expect(severity(trl("max_completion_length=4096"), "product-ratio")).toBeUndefined();
    expect(severity(trl("max_completion_length=512"), "product-ratio")).toBe("warning");
  });
});

describe("severities", () => {
  it("of traps are those of what they lead to", () => {
    const cases: [readonly LintFinding[], code: string, severity: string, line: number][] = [
      [verl("rollout_is: token", 'rollout_is_threshold: "0.5_5.0"'), "icepop", "warning", 4],
      [verl("rollout_rs: token_k1", "rollout_rs_threshold: 2"), "reciprocal-bound", "warning", 4],
      [verl("rollout_rs: seq_sum_k2", "rollout_rs_threshold: 0.5"), "metric-is-a-sum", "warning", 3],
      [verl("rollout_rs: token_k3", "rollout_rs_threshold: 1.5"), "not-a-ratio", "warning", 4],
      [verl("rollout_rs: token_k1,token_k3", "rollout_rs_threshold: 2"), "shared-threshold", "warning", 4],
      [verl("rollout_rs: token_k1", 'rollout_rs_threshold: "0.5_5.0"'), "bounds-inverted", "error", 4],
      [verl("rollout_rs: token_k1", 'rollout_rs_threshold: "0.6_1.6"'), "bounds-inverted", "warning", 4],
      [verl("rollout_is: token", "rollout_is_threshold: 2"), "trap", "note", 4],
    ];
    for (const [all, code, wanted, line] of cases)
      expect(of(all, code)).toMatchObject({ severity: wanted, line });
  });

  it("rise from notes to errors, errors first, and are counted", () => {
    const text =
      'algorithm:\n  rollout_correction:\n    rollout_is: token\n    rollout_is_threshold: "0.5_5.0"\n    rollout_rs: token_k1\n    rollout_rs_threshold: "0.5_5.0"\n';
    const report = lintConfig(text, { file: "config.yaml", presets: PRESETS });
    const order = report.configs[0]!.findings.map((finding) =>
      ["error", "warning", "note"].indexOf(finding.severity),
    );
    expect(order).toEqual([...order].sort((a, b) => a - b));
    const count = (of: string): number =>
      report.configs[0]!.findings.filter(({ severity }) => severity === of).length;
    expect([report.errors, report.warnings, report.notes]).toEqual(["error", "warning", "note"].map(count));
    expect(report.errors).toBeGreaterThan(0);
    expect(report.notes).toBeGreaterThan(0);
  });
});
