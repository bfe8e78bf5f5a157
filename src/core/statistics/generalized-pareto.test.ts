import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/calibration/claim.ts";
import { countTail, paretoTailIndex, weightTailIndex } from "./generalized-pareto.ts";

/** Quantiles of the generalised Pareto distribution with tail index k. */
function sample(k: number, n: number, random: () => number): number[] {
  return Array.from({ length: n }, () => {
    const u = 1 - random();
    return k === 0 ? -Math.log(u) : (u ** -k - 1) / k;
  }).sort((a, b) => a - b);
}

describe("the tail index of exceedances", () => {
  it.each([-0.3, 0, 0.3, 0.7, 1.2])("is found within a tenth: %d", (k) => {
    const random = seededRandom(`tail ${k}`);
    expect(paretoTailIndex(sample(k, 2000, random), new Array(2000).fill(1))).toBeCloseTo(k, 0);
    expect(Math.abs(paretoTailIndex(sample(k, 2000, random), new Array(2000).fill(1)) - k)).toBeLessThan(0.1);
  });

  it("does not hang on the unit, and counts stand for repeated values", () => {
    const values = sample(0.5, 300, seededRandom("units"));
    const ones = values.map(() => 1);
    const k = paretoTailIndex(values, ones);
    expect(
      paretoTailIndex(
        values.map((value) => value * 1e-9),
        ones,
      ),
    ).toBeCloseTo(k, 9);
    const twice = values.flatMap((value) => [value, value]);
    expect(
      paretoTailIndex(
        values,
        values.map(() => 2),
      ),
    ).toBeCloseTo(
      paretoTailIndex(
        twice,
        twice.map(() => 1),
      ),
      9,
    );
  });

  it("is not known from fewer than ten", () => {
    expect(paretoTailIndex([1, 2, 3], [1, 1, 1])).toBeNaN();
    expect(paretoTailIndex([], [])).toBeNaN();
  });
});

describe("k̂ of importance weights", () => {
  const descending = (logs: readonly number[]): number[] => [...logs].sort((a, b) => b - a);

  it("is the tail index of the weights, whatever they are multiplied by", () => {
    const random = seededRandom("weights");
    const logs = descending(Array.from({ length: 4000 }, () => -0.6 * Math.log(1 - random())));
    const k = weightTailIndex(logs, 4000);
    expect(Math.abs(k - 0.6)).toBeLessThan(0.15);
    const scaled = logs.map((value) => value + 3);
    expect(weightTailIndex(scaled, 4000)).toBeCloseTo(k, 9);
    expect(weightTailIndex(logs.slice(0, countTail(4000) + 1), 4000)).toBe(k);
  });

  it("takes a fifth of few weights and 3√n of many as their tail", () => {
    expect([25, 224, 225, 226, 10_000].map(countTail)).toEqual([5, 45, 45, 46, 300]);
  });

  it("is not known below 25, and infinite where at most four lie beyond the cut", () => {
    expect(weightTailIndex(descending(Array.from({ length: 24 }, (_, i) => i)), 24)).toBeNaN();
    expect(weightTailIndex(descending(Array.from({ length: 25 }, (_, i) => i / 10)), 25)).toBeLessThan(1);
    expect(weightTailIndex(new Array(100).fill(0), 100)).toBe(Number.POSITIVE_INFINITY);
    expect(weightTailIndex([4, 3, 2, 1, ...new Array(96).fill(0)], 100)).toBe(Number.POSITIVE_INFINITY);
    expect(weightTailIndex([5, 4, 3, 2, 1, ...new Array(95).fill(0)], 100)).toBeLessThan(2);
  });

  it("lets weights that vanish beside the largest be no part of the tail", () => {
    const logs = [2000, 1000, 900, 800, 700, 600, ...new Array(94).fill(0)];
    expect(weightTailIndex(logs, 100)).toBe(Number.POSITIVE_INFINITY);
  });
});
