import { expect, it } from "vitest";
import { PRESETS } from "../presets.ts";
import { completeSettings } from "../shared/settings.ts";
import type { Correction } from "./correction.ts";
import { correctionClauses, describeCorrection } from "./describe.ts";

it("truncated token weights and a geometric mask read as one sentence", () => {
  const correction: Correction = {
    weight: { level: "token", aggregation: "sum" },
    steps: [
      { action: "truncate", upper: 2 },
      {
        action: "mask",
        measure: { statistic: "ratio", level: "sequence", aggregation: "mean" },
        lower: 0.999,
        upper: 1.001,
      },
    ],
  };
  expect(describeCorrection(correction)).toBe(
    "token importance weights, truncated above at 2; a sequence is masked when the geometric mean of its ratios is outside 0.999 to 1.001",
  );
});

it("says k1 bounds as bounds on the ratio, the other way round", () => {
  const [, clause] = correctionClauses({
    steps: [
      {
        action: "mask",
        measure: { statistic: "k1", level: "token", aggregation: "mean" },
        lower: Math.log(0.5),
        upper: Math.log(5),
      },
    ],
  });
  expect(clause).toBe("a token is masked when its ratio p_trainer / p_rollout is outside 0.2 to 2");
});

it("keeps k1 at its maximum as it is: the largest k1 is the smallest ratio", () => {
  const measure = { statistic: "k1", level: "sequence", aggregation: "max" } as const;
  expect(describeCorrection({ steps: [{ action: "mask", measure, upper: 1 }] })).toContain(
    "the largest of its tokens' log p_rollout − log p_trainer (nats) is above 1",
  );
});

it("says conditions, vetoes and the order in which weights change", () => {
  const correction: Correction = {
    weight: { level: "sequence", aggregation: "sum", logBound: 20 },
    steps: [
      { action: "zero", measure: "weight", lower: 0.5, upper: 2 },
      { action: "normalize", over: "sequence" },
      {
        action: "zero",
        measure: { statistic: "k1", level: "sequence", aggregation: "mean" },
        upper: 0.1,
        when: "negative",
      },
      { action: "veto", measure: { statistic: "ratio", level: "token", aggregation: "sum" }, lower: 1e-4 },
      { action: "truncate", lower: 0.1, upper: 5 },
    ],
  };
  expect(correctionClauses(correction)).toEqual([
    "sequence importance weights, the product of its ratios on every token of a sequence (log-ratio clamped to ±20 nats), set to 0 when outside 0.5 to 2, for the whole sequence, divided by their mean over sequences",
    "a sequence with a negative advantage on average keeps its mask and loses its weight when the geometric mean of its ratios is below 0.904837",
    "a whole sequence is masked when any token's ratio p_trainer / p_rollout is below 0.0001",
    "weights are truncated below at 0.1 and above at 5",
  ]);
});

it("says when nothing is corrected, and when only the mask is", () => {
  expect(describeCorrection({ steps: [] })).toBe("nothing: every weight is 1 and the mask stays as it is");
  const measure = { statistic: "k3", level: "token", aggregation: "mean" } as const;
  expect(correctionClauses({ steps: [{ action: "mask", measure, upper: 0.1 }] })).toEqual([
    "no importance weights: every weight is 1",
    "a token is masked when its k3 (nats) is above 0.1",
  ]);
});

it("has words for every preset's defaults", () => {
  for (const preset of PRESETS) {
    const text = describeCorrection(preset.correction(completeSettings(preset, {})));
    expect([preset.name, text]).not.toEqual([preset.name, ""]);
    expect(text).not.toMatch(/undefined|NaN\b(?! stays)|\[object/);
  }
});
