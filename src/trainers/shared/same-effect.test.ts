import { expect, test } from "vitest";
import type { Correction, Measure } from "../neutral/correction.ts";
import { sameEffect } from "./same-effect.ts";

const ratio = (level: "token" | "sequence", aggregation: "sum" | "mean" = "sum"): Measure => ({
  statistic: "ratio",
  level,
  aggregation,
});
const tis: Correction = {
  weight: { level: "token", aggregation: "sum" },
  steps: [{ action: "truncate", upper: 2 }],
};

test.each<[string, Correction, Correction]>([
  ["a lower bound of 0", tis, { ...tis, steps: [{ action: "truncate", lower: 0, upper: 2 }] }],
  ["a clamp that the cap hides", tis, { ...tis, weight: { ...tis.weight!, logBound: 20 } }],
  [
    "the weight's own measure written out",
    { ...tis, steps: [{ action: "zero", measure: "weight", upper: 2 }] },
    { ...tis, steps: [{ action: "zero", measure: ratio("token", "mean"), upper: 2 }] },
  ],
  [
    "an infinite bound on the weight",
    { ...tis, steps: [{ action: "zero", measure: "weight", lower: 0.5 }] },
    { ...tis, steps: [{ action: "zero", measure: "weight", lower: 0.5, upper: Number.POSITIVE_INFINITY }] },
  ],
  [
    "independent rejections in another order",
    {
      steps: [
        { action: "mask", measure: ratio("token"), upper: 2 },
        { action: "veto", measure: { ...ratio("token"), level: "token" }, lower: 1e-4 },
      ],
    },
    {
      steps: [
        { action: "veto", measure: { ...ratio("token"), level: "token" }, lower: 1e-4 },
        { action: "mask", measure: ratio("token"), upper: 2 },
      ],
    },
  ],
  [
    "over what only whole sequences were taken from",
    {
      steps: [
        { action: "veto", measure: { ...ratio("token"), level: "token" }, lower: 1e-4 },
        { action: "mask", measure: { ...ratio("sequence"), over: "kept" }, upper: 2 },
      ],
    },
    {
      steps: [
        { action: "veto", measure: { ...ratio("token"), level: "token" }, lower: 1e-4 },
        { action: "mask", measure: ratio("sequence"), upper: 2 },
      ],
    },
  ],
])("the same: %s", (_, a, b) => {
  expect(sameEffect(a, b)).toBe(true);
});

test.each<[string, Correction, Correction]>([
  ["another cap", tis, { ...tis, steps: [{ action: "truncate", upper: 3 }] }],
  ["a clamp below the cap", { ...tis, weight: { ...tis.weight!, logBound: 0.5 } }, tis],
  ["a clamp without a cap", { weight: { ...tis.weight!, logBound: 20 }, steps: [] }, { ...tis, steps: [] }],
  [
    "zero and mask",
    { ...tis, steps: [{ action: "zero", measure: "weight", upper: 2 }] },
    { ...tis, steps: [{ action: "mask", measure: "weight", upper: 2 }] },
  ],
  [
    "over what a token mask left",
    {
      steps: [
        { action: "mask", measure: ratio("token"), upper: 2 },
        { action: "mask", measure: { ...ratio("sequence"), over: "kept" }, upper: 2 },
      ],
    },
    {
      steps: [
        { action: "mask", measure: ratio("token"), upper: 2 },
        { action: "mask", measure: ratio("sequence"), upper: 2 },
      ],
    },
  ],
  [
    "normalizing before and after a cap",
    { ...tis, steps: [{ action: "normalize", over: "token" }, ...tis.steps] },
    { ...tis, steps: [...tis.steps, { action: "normalize", over: "token" }] },
  ],
])("not the same: %s", (_, a, b) => {
  expect(sameEffect(a, b)).toBe(false);
});
