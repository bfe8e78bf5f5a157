import { describe, expect, it, test } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import type { Correction } from "../neutral/correction.ts";
import type { Settings } from "../shared/preset.ts";
import { checkReference } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { openrlhf } from "./preset.ts";

// The share of filtered sequences is a float32 there.
checkReference(openrlhf, "openrlhf", 1e-7);

const complete = (settings: Settings): Settings => completeSettings(openrlhf, settings);

describe("OpenRLHF's gate", () => {
  it("judges tokens or sequences, by their ratio or by how far their probability moved", () => {
    const steps = (settings: Settings) => openrlhf.correction(complete(settings)).steps;
    const bounds = { lower: 0.5, upper: 5 };
    const moved = { statistic: "abs_prob_diff" } as const;
    expect(steps({})).toEqual([{ action: "zero", measure: "weight", ...bounds }]);
    expect(steps({ is_correction_mode: "clip" })).toEqual([{ action: "truncate", ...bounds }]);
    expect(steps({ is_correction_level: "seq" })).toEqual([
      { action: "zero", measure: { statistic: "ratio", level: "sequence", aggregation: "mean" }, ...bounds },
    ]);
    const tv = { is_correction_gating: "tv", is_correction_threshold: [0, 0.1] };
    expect(steps(tv)).toEqual([
      { action: "zero", measure: { ...moved, level: "token", aggregation: "sum" }, upper: 0.1 },
    ]);
    expect(steps({ ...tv, is_correction_level: "seq" })).toMatchObject([
      { measure: { ...moved, level: "sequence", aggregation: "mean" } },
    ]);
    const kl = { is_correction_gating: "binary_kl", is_correction_threshold: [0, 0.01] };
    const coin = { statistic: "binary_kl", probBound: 1e-6 } as const;
    expect(steps(kl)).toEqual([
      { action: "zero", measure: { ...coin, level: "token", aggregation: "sum" }, upper: 0.01 },
    ]);
    expect(steps({ ...kl, is_correction_level: "seq" })).toEqual([
      { action: "zero", measure: { ...coin, level: "sequence", aggregation: "mean" }, upper: 0.01 },
    ]);
    expect(openrlhf.correction(complete({ is_correction_level: "off" }))).toEqual({ steps: [] });
  });

  it("refuses what PolicyLoss refuses", () => {
    for (const refused of [
      { is_correction_level: "seq", is_correction_mode: "clip" },
      { is_correction_gating: "tv", is_correction_mode: "clip", is_correction_threshold: [0, 1] },
      { is_correction_gating: "tv" },
      { is_correction_gating: "binary_kl" },
      { is_correction_threshold: [5, 0.5] },
      { is_correction_threshold: null },
    ])
      expect(() => openrlhf.correction(complete(refused))).toThrow(UsageError);
  });

  it("is found again from what it does", () => {
    for (const settings of [
      { is_correction_gating: "binary_kl", is_correction_threshold: [0, 0.01] },
      { is_correction_gating: "binary_kl", is_correction_threshold: [0, 0.01], is_correction_level: "seq" },
      { is_correction_gating: "tv", is_correction_threshold: [0, 0.1] },
    ])
      expect(openrlhf.express(openrlhf.correction(complete(settings)))).toEqual(complete(settings));
    // Another clamp is another gate.
    const measure = { statistic: "binary_kl", level: "token", aggregation: "sum" } as const;
    const exact: Correction = {
      weight: { level: "token", aggregation: "sum" },
      steps: [{ action: "zero", measure, upper: 0.01 }],
    };
    expect(openrlhf.express(exact)).toBeUndefined();
  });
});

test("is written as flags of 0.11.2, one number where the low bound is 0", () => {
  const text = (settings: Settings): string => openrlhf.config(complete(settings)).text;
  expect(text({ is_correction_threshold: [0.5, 4] })).toBe(`--algo.advantage.is_correction_level token
--algo.advantage.is_correction_mode mask
--algo.advantage.is_correction_gating ratio
--algo.advantage.is_correction_threshold 0.5 4
`);
  expect(text({ is_correction_threshold: [0, 2] })).toContain("is_correction_threshold 2\n");
  expect(text({ is_correction_level: "off" })).toBe("");
  expect(text({ policy_loss_type: "gspo" })).toContain("--actor.policy_loss_type gspo\n");
});
