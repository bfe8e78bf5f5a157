import { expect, test } from "vitest";
import { applyCorrection } from "./apply.ts";
import type { Correction } from "./correction.ts";
import { tokenStatistic } from "./measures.ts";

/** Two sequences with Δ = 3, −3, 3 and 0.1, −0.1. */
const block = {
  rollout: Float64Array.from([-5, -5, -5, -5, -5]),
  trainer: Float64Array.from([-2, -8, -2, -4.9, -5.1]),
  mask: Uint8Array.from([1, 1, 1, 1, 1]),
  offsets: Int32Array.from([0, 3, 5]),
  advantages: Float64Array.from([1, 1, -1, 1, -1]),
};

test("only diverging tokens of a rejected sequence are zeroed", () => {
  const correction: Correction = {
    weight: { level: "token", aggregation: "sum" },
    steps: [
      {
        action: "zero",
        measure: { statistic: "ratio_distance", level: "sequence", aggregation: "mean" },
        upper: 1,
        only: "diverging tokens",
      },
    ],
  };
  const { weights, steps } = applyCorrection(block, correction);
  expect([...steps[0]!.measured!.rejected]).toEqual([1, 0]);
  expect(weights![0]).toBe(0);
  expect(weights![1]).toBeCloseTo(Math.exp(-3), 12);
  expect(weights![2]).toBeCloseTo(Math.exp(3), 10);
  expect(weights![3]).toBeCloseTo(Math.exp(0.1), 12);
  const { advantages: _, ...without } = block;
  expect(() => applyCorrection(without, correction)).toThrow(/advantages/);
});

test("a bound on each Δ of a weight is not a bound on their mean", () => {
  const geometric = { level: "sequence", aggregation: "mean" } as const;
  const first = (weight: Correction["weight"]): number =>
    applyCorrection(block, { ...(weight && { weight }), steps: [] }).weights![0]!;
  expect(first({ ...geometric, logBound: 2 })).toBeCloseTo(Math.exp(1), 12);
  expect(first({ ...geometric, deltaBound: 2 })).toBeCloseTo(Math.exp(2 / 3), 12);
});

test("k3 with the policies swapped, and the distance of a ratio from 1", () => {
  const delta = 0.7;
  expect(tokenStatistic({ statistic: "k3_reverse" }, -2, -2 + delta)).toBeCloseTo(
    Math.exp(-delta) - 1 + delta,
    12,
  );
  expect(tokenStatistic({ statistic: "k3" }, -2, -2 + delta)).toBeCloseTo(Math.exp(delta) - 1 - delta, 12);
  expect(tokenStatistic({ statistic: "ratio_distance" }, -2, -2 - delta)).toBeCloseTo(
    1 - Math.exp(-delta),
    12,
  );
});
