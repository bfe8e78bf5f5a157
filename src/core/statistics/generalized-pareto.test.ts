import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/calibration/claim.ts";
import { paretoTailIndex } from "./generalized-pareto.ts";

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
