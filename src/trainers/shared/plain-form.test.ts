import { describe, expect, it } from "vitest";
import type { Correction, Measure, Step } from "../neutral/correction.ts";
import { plainForm, sameEffect } from "./same-effect.ts";

const measure = (change: Partial<Measure> = {}): Measure => ({
  statistic: "ratio",
  level: "sequence",
  aggregation: "sum",
  ...change,
});
const mask = (change: object = {}, over: Partial<Measure> = {}): Step =>
  ({ action: "mask", measure: measure(over), upper: 2, ...change }) as Step;
const TOKEN = { level: "token", aggregation: "sum" } as const;
const PRODUCT = { level: "sequence", aggregation: "sum" } as const;
const weighted = (steps: readonly Step[], change: object = {}): Correction => ({
  weight: { ...TOKEN, ...change },
  steps,
});
const FLOAT32_MAX = 3.4028234663852886e38;

describe("corrections of the same effect", () => {
  it.each<[why: string, a: Correction, b: Correction]>([
    ["a rejection twice", { steps: [mask(), mask()] }, { steps: [mask()] }],
    ["bounds that nothing can pass", { steps: [mask({ upper: FLOAT32_MAX })] }, { steps: [] }],
    ["a ratio's lower bound of 0", { steps: [mask({ lower: 0 })] }, { steps: [mask()] }],
    [
      "k2's lower bound below 0",
      { steps: [mask({ lower: -1 }, { statistic: "k2" })] },
      { steps: [mask({}, { statistic: "k2" })] },
    ],
    [
      "an error ratio's lower bound of 1",
      { steps: [mask({ lower: 1 }, { statistic: "error_ratio" })] },
      { steps: [mask({}, { statistic: "error_ratio" })] },
    ],
    [
      "how tokens that stand alone are put together",
      { steps: [mask({}, { level: "token", aggregation: "mean" })] },
      { steps: [mask({}, { level: "token", aggregation: "max" })] },
    ],
    ["how a token's weight is put together", weighted([mask()]), weighted([mask()], { aggregation: "mean" })],
    [
      "a clamp of Δ out of a token bound's reach",
      { steps: [mask({}, { level: "token", deltaBound: 20 })] },
      { steps: [mask({}, { level: "token" })] },
    ],
    [
      "what was kept, where whole sequences went",
      { steps: [mask({}, { statistic: "k2" }), mask({}, { over: "kept" })] },
      { steps: [mask({}, { statistic: "k2" }), mask()] },
    ],
    [
      "the weight itself, before anything changed it",
      weighted([{ action: "mask", measure: "weight", upper: 2 }]),
      weighted([mask({}, { level: "token" })]),
    ],
  ])("%s", (_, a, b) => {
    expect(sameEffect(a, b)).toBe(true);
    expect(sameEffect(b, a)).toBe(true);
  });
});

describe("corrections that do something else", () => {
  const cap: Step = { action: "truncate", upper: 2 };

  it.each<[why: string, a: Correction, b: Correction]>([
    ["another bound", { steps: [mask()] }, { steps: [mask({ upper: 3 })] }],
    ["another lower bound", { steps: [mask({ lower: 0.5 })] }, { steps: [mask()] }],
    [
      "k1's lower bound, which may be below 0",
      { steps: [mask({ lower: -1 }, { statistic: "k1" })] },
      { steps: [mask({}, { statistic: "k1" })] },
    ],
    [
      "an error ratio's lower bound above 1",
      { steps: [mask({ lower: 1.1 }, { statistic: "error_ratio" })] },
      { steps: [mask({}, { statistic: "error_ratio" })] },
    ],
    ["another level", { steps: [mask()] }, { steps: [mask({}, { level: "token" })] }],
    ["another statistic", { steps: [mask()] }, { steps: [mask({}, { statistic: "k2" })] }],
    ["sums and means", { steps: [mask()] }, { steps: [mask({}, { aggregation: "mean" })] }],
    ["only where advantages are negative", { steps: [mask({ when: "negative" })] }, { steps: [mask()] }],
    ["zeroing and masking", weighted([mask()]), weighted([mask({ action: "zero" })])],
    ["no weight", weighted([mask()]), { steps: [mask()] }],
    ["a weight of the sequence", { weight: PRODUCT, steps: [] }, { weight: TOKEN, steps: [] }],
    ["a weight's clamp that no cap hides", weighted([], { logBound: 20 }), weighted([])],
    [
      "a cap above the clamp",
      weighted([{ action: "truncate", upper: 1e9 }], { logBound: 20 }),
      weighted([{ action: "truncate", upper: 1e9 }]),
    ],
    [
      "a clamp of Δ within a token bound's reach",
      { steps: [mask({}, { level: "token", deltaBound: 0.5 })] },
      { steps: [mask({}, { level: "token" })] },
    ],
    [
      "the weight after it was truncated",
      weighted([cap, { action: "mask", measure: "weight", lower: 0.5, upper: 3 }]),
      weighted([cap, mask({ lower: 0.5, upper: 3 }, { level: "token" })]),
    ],
    [
      "what was kept, where single tokens went",
      { steps: [mask({}, { level: "token" }), mask({}, { over: "kept" })] },
      { steps: [mask({}, { level: "token" }), mask()] },
    ],
    [
      "what normalization is over",
      weighted([{ action: "normalize", over: "token" }]),
      weighted([{ action: "normalize", over: "sequence" }]),
    ],
    [
      "truncation and normalization the other way round",
      weighted([cap, { action: "normalize", over: "token" }]),
      weighted([{ action: "normalize", over: "token" }, cap]),
    ],
  ])("%s", (_, a, b) => {
    expect(sameEffect(a, b)).toBe(false);
    expect(sameEffect(b, a)).toBe(false);
  });
});

it("the plain form keeps only what binds, independent rejections first", () => {
  expect(
    plainForm(
      weighted([cap(), mask({ lower: 0, when: "negative" }), mask({ upper: 9 }, { statistic: "k2" })], {
        logBound: 20,
      }),
    ),
  ).toEqual({
    weight: TOKEN,
    steps: [
      { action: "mask", measure: measure({ statistic: "k2" }), upper: 9 },
      { action: "mask", measure: measure(), when: "negative", upper: 2 },
      cap(),
    ],
  });
});

function cap(): Step {
  return { action: "truncate", upper: 2 };
}
