import { describe, expect, it } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import { applyCorrection } from "./apply.ts";
import {
  type AdvantageSign,
  type Correction,
  type Measure,
  needsAdvantages,
  type Statistic,
} from "./correction.ts";
import { cutSegments, logRatios, measureSegments, segmentMeans, tokenStatistic } from "./measures.ts";
import { validateCorrection } from "./validate.ts";

/** Turns {0, 1} and {3}; then a sequence that ends in a turn of one token; then one without tokens of its own. */
const block = {
  rollout: Float64Array.of(-1, -2, -1, -1, -1, -3, -1),
  trainer: Float64Array.of(-2, -1.5, -9, -0.5, -9, -2, -9),
  mask: Uint8Array.of(1, 1, 0, 1, 0, 1, 0),
  offsets: Int32Array.of(0, 4, 6, 7),
};
const measure = (statistic: Statistic, more: Partial<Measure> = {}): Measure => ({
  statistic,
  level: "token",
  aggregation: "sum",
  ...more,
});

describe("segmentsOf", () => {
  it("cuts sequences into tokens, turns, or leaves them whole", () => {
    expect(cutSegments(block, "token")).toEqual({
      level: "token",
      starts: Int32Array.of(0, 1, 2, 3, 4, 5, 6),
      ends: Int32Array.of(1, 2, 3, 4, 5, 6, 7),
    });
    expect(cutSegments(block, "turn")).toEqual({
      level: "turn",
      starts: Int32Array.of(0, 3, 5),
      ends: Int32Array.of(2, 4, 6),
    });
    expect(cutSegments(block, "sequence")).toEqual({
      level: "sequence",
      starts: Int32Array.of(0, 4, 6),
      ends: Int32Array.of(4, 6, 7),
    });
  });

  it("ends a turn with its sequence, though the next begins with a token of its own", () => {
    const two = { ...block, mask: Uint8Array.of(0, 1, 1, 1, 1, 1, 1) };
    expect(cutSegments(two, "turn")).toMatchObject({
      starts: Int32Array.of(1, 4, 6),
      ends: Int32Array.of(4, 6, 7),
    });
  });
});

describe("tokenStatistic", () => {
  const [p, q] = [0.25, 0.5];
  const value = (statistic: Statistic, bound?: number): number =>
    tokenStatistic(
      { statistic, ...(bound !== undefined && { deltaBound: bound }) },
      Math.log(p),
      Math.log(q),
    );

  it("is each figure as it is defined", () => {
    expect(value("ratio")).toBeCloseTo(Math.LN2, 14);
    expect(value("error_ratio")).toBeCloseTo(2, 14);
    expect(tokenStatistic({ statistic: "error_ratio" }, Math.log(q), Math.log(p))).toBeCloseTo(2, 14);
    expect(value("ratio_distance")).toBeCloseTo(1, 14);
    expect(value("k1")).toBeCloseTo(-Math.LN2, 14);
    expect(value("k2")).toBeCloseTo(Math.LN2 ** 2 / 2, 14);
    expect(value("k3")).toBeCloseTo(1 - Math.LN2, 14);
    expect(value("k3_reverse")).toBeCloseTo(Math.LN2 - 0.5, 14);
    expect(value("prob_diff")).toBeCloseTo(q - p, 14);
    expect(tokenStatistic({ statistic: "prob_diff" }, Math.log(q), Math.log(p))).toBeCloseTo(p - q, 14);
    expect(tokenStatistic({ statistic: "abs_prob_diff" }, Math.log(q), Math.log(p))).toBeCloseTo(q - p, 14);
  });

  it("bounds Δ on both sides, and leaves probabilities as they are", () => {
    const k1 = { statistic: "k1", deltaBound: 2 } as const;
    expect(tokenStatistic(k1, -1, 9)).toBe(-2);
    expect(tokenStatistic(k1, -1, -9)).toBe(2);
    expect(tokenStatistic(k1, -1, 0)).toBe(-1);
    expect(tokenStatistic(k1, -1, Number.NaN)).toBeNaN();
    expect(value("prob_diff", 0.01)).toBeCloseTo(q - p, 14);
  });
});

describe("figures of segments", () => {
  it("are sums, means and the largest over tokens with mask 1", () => {
    const at = (aggregation: Measure["aggregation"], level: Measure["level"] = "sequence"): number[] => [
      ...measureSegments(block, cutSegments(block, level), measure("k1", { level, aggregation })),
    ];
    // k1 of the tokens with mask 1: 1, −0.5, −0.5; −1.
    expect(at("sum")).toEqual([0, -1, 0]);
    expect(at("mean")).toEqual([0, -1, 0]);
    expect(at("max")).toEqual([1, -1, 0]);
    expect(at("sum", "turn")).toEqual([0.5, -0.5, -1]);
    expect(at("mean", "turn")).toEqual([0.25, -0.5, -1]);
    expect(at("sum", "token")).toEqual([1, -0.5, Number.NaN, -0.5, Number.NaN, -1, Number.NaN]);
  });

  it("are products and geometric means of ratios", () => {
    const segments = cutSegments(block, "turn");
    const ratios = measureSegments(block, segments, measure("ratio", { level: "turn", aggregation: "mean" }));
    expect([...ratios]).toEqual([Math.exp(-0.25), Math.exp(0.5), Math.exp(1)]);
    expect([...logRatios(block, segments, { level: "turn", aggregation: "sum" })]).toEqual([-0.5, 0.5, 1]);
    const bounded = logRatios(block, segments, { level: "turn", aggregation: "sum", deltaBound: 0.75 });
    expect([...bounded]).toEqual([-0.25, 0.5, 0.75]);
  });

  it("are means of a column too", () => {
    const column = Float64Array.of(1, 2, 9, 6, 9, 5, 9);
    expect([...segmentMeans(block, cutSegments(block, "sequence"), column)]).toEqual([3, 5, 0]);
  });
});

describe("rules about advantages", () => {
  const rule = (when: AdvantageSign): Correction => ({
    steps: [{ action: "mask", measure: measure("k1"), upper: -10, when }],
  });
  const four = {
    rollout: new Float64Array(4).fill(-1),
    trainer: new Float64Array(4).fill(-1.5),
    mask: Uint8Array.of(1, 1, 1, 0),
    offsets: Int32Array.of(0, 4),
    advantages: Float64Array.of(1, -1, 0, -1),
  };

  it("reject only where the advantage has the sign; 0 is neither positive nor negative", () => {
    const kept = (when: AdvantageSign): number[] => [...applyCorrection(four, rule(when)).mask];
    expect(kept("positive")).toEqual([0, 1, 1, 0]);
    expect(kept("negative")).toEqual([1, 0, 1, 0]);
    expect(kept("not positive")).toEqual([1, 0, 0, 0]);
  });

  it("need advantages, on weights and masks alike; others do not", () => {
    expect(needsAdvantages(rule("positive"))).toBe(true);
    const zero = { action: "zero", measure: measure("k1"), upper: 1, only: "diverging tokens" } as const;
    expect(needsAdvantages({ steps: [zero] })).toBe(true);
    expect(needsAdvantages({ steps: [{ action: "mask", measure: measure("k1"), upper: 1 }] })).toBe(false);
    expect(needsAdvantages({ steps: [{ action: "normalize", over: "token" }, zero] })).toBe(true);
    expect(needsAdvantages({ steps: [] })).toBe(false);
  });

  it("counts a token as diverging where its advantage has the sign of its Δ", () => {
    const trainer = Float64Array.of(-0.5, -0.5, -0.5, -1.5);
    const mask = new Uint8Array(4).fill(1);
    const advantages = Float64Array.of(1, -1, 0, -1);
    const { mask: kept } = applyCorrection(
      { ...four, trainer, mask, advantages },
      { steps: [{ action: "mask", measure: measure("k2"), upper: 0.1, only: "diverging tokens" }] },
    );
    expect([...kept]).toEqual([0, 1, 1, 0]);
  });
});

describe("normalizing", () => {
  it("leaves weights alone whose mean is as good as 0", () => {
    const tiny = {
      rollout: Float64Array.of(0, 0),
      trainer: new Float64Array(2).fill(Math.log(0.9e-8)),
      mask: Uint8Array.of(1, 1),
      offsets: Int32Array.of(0, 2),
    };
    const correction: Correction = {
      weight: { level: "token", aggregation: "sum" },
      steps: [{ action: "normalize", over: "token" }],
    };
    expect(applyCorrection(tiny, correction).steps[0]!.factor).toBe(1);
    const larger = { ...tiny, trainer: new Float64Array(2).fill(Math.log(1.1e-8)) };
    const { steps, weights } = applyCorrection(larger, correction);
    expect(steps[0]!.factor).toBeCloseTo(1.1e-8, 12);
    expect(weights![0]).toBeCloseTo(1, 12);
  });

  it("of nothing divides by 1", () => {
    const none = { ...block, mask: new Uint8Array(7) };
    const { steps } = applyCorrection(none, {
      weight: { level: "token", aggregation: "sum" },
      steps: [{ action: "normalize", over: "token" }],
    });
    expect(steps[0]!.factor).toBe(1);
  });
});

describe("validateCorrection", () => {
  const weight = { level: "token", aggregation: "sum" } as const;
  const catchError = (correction: Correction): UsageError => {
    try {
      validateCorrection(correction);
    } catch (error) {
      if (error instanceof UsageError) return error;
      throw error;
    }
    throw new Error("it was taken");
  };

  it("names the step that is wrong", () => {
    const good = { action: "truncate", upper: 2 } as const;
    expect(catchError({ weight, steps: [good, { action: "truncate" }] }).message).toContain(
      "step 2 (truncate)",
    );
    const swapped = catchError({ weight, steps: [{ action: "truncate", lower: 3, upper: 2 }] });
    expect(swapped.likely).toContain("another trainer's order");
  });

  it("refuses bounds that are not numbers, on either side, and a ratio's upper bound that nothing is below", () => {
    for (const bounds of [{ lower: Number.NaN }, { upper: Number.NaN }, { lower: 1, upper: Number.NaN }]) {
      expect(catchError({ weight, steps: [{ action: "truncate", ...bounds }] }).message).toContain(
        "not a number",
      );
    }
    for (const statistic of ["ratio", "error_ratio"] as const) {
      const step = { action: "mask", measure: measure(statistic), upper: 0 } as const;
      expect(catchError({ steps: [step] }).message).toContain("bounds a ratio by 0");
    }
    expect(catchError({ weight, steps: [{ action: "truncate", upper: 0 }] }).message).toContain("by 0");
    const ofWeight = { action: "mask", measure: "weight", upper: -1 } as const;
    expect(catchError({ weight, steps: [ofWeight] }).message).toContain("by -1");
  });

  it("refuses a rule on the weight without a weight", () => {
    for (const action of ["zero", "mask"] as const) {
      expect(catchError({ steps: [{ action, measure: "weight", upper: 2 }] }).message).toContain("no weight");
    }
  });

  it("takes equal bounds, one side alone, and bounds below 0 of what is not a ratio", () => {
    for (const step of [
      { action: "truncate", lower: 2, upper: 2 },
      { action: "truncate", lower: 0 },
      { action: "mask", measure: measure("k1"), upper: -1 },
      { action: "mask", measure: measure("ratio"), upper: 0.5 },
      { action: "mask", measure: measure("ratio"), lower: -1 },
      { action: "normalize", over: "token" },
    ] as const) {
      expect(() => validateCorrection({ weight, steps: [step] })).not.toThrow();
    }
  });
});
