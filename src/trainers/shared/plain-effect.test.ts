import fc from "fast-check";
import { expect, it } from "vitest";
import { applyCorrection } from "../neutral/apply.ts";
import type { Correction, Measure, Step } from "../neutral/correction.ts";
import { plainForm, sameEffect } from "./same-effect.ts";

const clamp = fc.constantFrom({}, {}, { deltaBound: 20 });
const over = fc.constantFrom({}, {}, { over: "kept" as const });
const level = fc.constantFrom("token", "turn", "sequence" as const);
const bounds = fc.constantFrom(
  { upper: 1.3 },
  { lower: 0.7 },
  { lower: 0.8, upper: 2 },
  { lower: 0, upper: 1.5 },
  { upper: 1e39 },
  { lower: 0.9, upper: 3.5e38 },
);
const measure: fc.Arbitrary<Measure> = fc
  .tuple(
    fc.constantFrom("ratio", "k1", "k2", "error_ratio", "prob_diff" as const),
    level,
    fc.constantFrom("sum", "mean", "max" as const),
    clamp,
    over,
  )
  .map(([statistic, level, aggregation, ...rest]) => ({
    statistic,
    level,
    aggregation,
    ...rest[0],
    ...rest[1],
  }));
const when = fc.constantFrom({}, {}, { when: "negative" as const });
const rejected: fc.Arbitrary<Step> = fc
  .tuple(fc.constantFrom("mask", "zero" as const), measure, bounds, when)
  .map(([action, measure, bounds, when]) => ({ action, measure, ...bounds, ...when }));
const weighed: fc.Arbitrary<Step> = fc
  .tuple(fc.constantFrom("mask", "zero" as const), bounds)
  .map(([action, bounds]) => ({ action, measure: "weight" as const, ...bounds }));
const truncated: fc.Arbitrary<Step> = bounds.map((bounds) => ({ action: "truncate" as const, ...bounds }));
const vetoed: fc.Arbitrary<Step> = fc.tuple(measure, bounds).map(([{ over: _, ...measure }, bounds]) => ({
  action: "veto" as const,
  measure: { ...measure, level: "token" as const },
  ...bounds,
}));
const corrections: fc.Arbitrary<Correction> = fc.oneof(
  fc.array(fc.oneof(rejected, vetoed), { maxLength: 3 }).map((steps) => ({
    steps: steps.filter(({ action }) => action !== "zero"),
  })),
  fc
    .tuple(level, fc.constantFrom("sum", "mean" as const), over, clamp, fc.constantFrom({}, { logBound: 20 }))
    .chain(([level, aggregation, ...rest]) =>
      fc.array(fc.oneof(rejected, weighed, truncated, vetoed), { maxLength: 4 }).map((steps) => ({
        weight: { level, aggregation, ...rest[0], ...rest[1], ...rest[2] },
        steps,
      })),
    ),
);

/** Sequences of two turns, of ratios from e^−1 to e. */
const block = fc
  .array(fc.array(fc.integer({ min: -10, max: 10 }), { minLength: 2, maxLength: 6 }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((rows) => {
    const offsets = Int32Array.from([0, ...rows.map(({ length }) => length)]);
    for (let row = 1; row < offsets.length; row++) offsets[row]! += offsets[row - 1]!;
    const deltas = rows.flat().map((tenths) => tenths / 10);
    return {
      offsets,
      rollout: Float64Array.from(deltas, () => -2),
      trainer: Float64Array.from(deltas, (delta) => -2 + delta),
      mask: Uint8Array.from(deltas, (_, t) => (t % 4 === 1 ? 0 : 1)),
      advantages: Float64Array.from(deltas, (_, t) => (t % 3) - 1),
    };
  });

it("the plain form of a correction does to any batch what the correction does", () => {
  fc.assert(
    fc.property(corrections, block, (correction, batch) => {
      const [as, plain] = [correction, plainForm(correction)].map((each) => applyCorrection(batch, each));
      expect([...plain!.mask]).toEqual([...as!.mask]);
      const weights = [as!.weights, plain!.weights].map(
        (values) => values && [...values].map((value, t) => (as!.mask[t] === 0 ? 0 : value)),
      );
      expect(weights[1] === undefined).toBe(weights[0] === undefined);
      for (const [t, value] of (weights[0] ?? []).entries()) expect(weights[1]![t]).toBeCloseTo(value, 9);
    }),
    { numRuns: 600 },
  );
});

it("a plain form is its own, and of the same effect", () => {
  fc.assert(
    fc.property(corrections, (correction) => {
      const plain = plainForm(correction);
      expect(plainForm(plain)).toEqual(plain);
      expect(sameEffect(correction, plain)).toBe(true);
    }),
  );
});
