import { expect, test } from "vitest";
import { computeStatistics, nextDivergent } from "./statistics.ts";

const deltas = Float64Array.of(0.1, -0.5, Number.NaN, Infinity, 0.3);
const mask = Uint8Array.of(1, 1, 0, 1, 1);

test("means and extremes are over trained tokens with a finite Δ", () => {
  const found = computeStatistics(deltas, mask);
  expect(found).toMatchObject({ tokens: 4, measured: 3, infinite: 1, maxAbs: 0.5, worst: 1 });
  expect(found.meanAbs).toBeCloseTo(0.3, 12);
  const k3 = [0.1, -0.5, 0.3].reduce((sum, delta) => sum + Math.exp(delta) - delta - 1, 0) / 3;
  expect(found.k3).toBeCloseTo(k3, 12);
});

test("a range without a value has none", () => {
  expect(computeStatistics(deltas, mask, 2, 3)).toMatchObject({ tokens: 0, worst: -1, maxAbs: Number.NaN });
});

test("walking from divergent token to divergent token", () => {
  expect(nextDivergent(deltas, 0.3, undefined, 1)).toBe(1);
  expect(nextDivergent(deltas, 0.3, 1, 1)).toBe(3);
  expect(nextDivergent(deltas, 0.3, 4, 1)).toBeUndefined();
  expect(nextDivergent(deltas, 0.3, undefined, -1)).toBe(4);
  expect(nextDivergent(deltas, 0.3, 3, -1)).toBe(1);
});
