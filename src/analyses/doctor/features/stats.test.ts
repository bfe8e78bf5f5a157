import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareMeans, logit, mean, median, normalize, PairSums, quantiles, spearman } from "./stats.ts";

const numbers = (minLength: number) =>
  fc.array(fc.integer({ min: -9, max: 9 }), { minLength, maxLength: 12 });

it("quantiles lie between the sorted values, as numpy has them by default", () => {
  expect(quantiles([4, 1, 3, 2], [0, 0.25, 0.5, 1])).toEqual([1, 1.75, 2.5, 4]);
  expect([quantiles([7], [0.3])[0], median([3, 1, 2]), mean([1, 2, 6])]).toEqual([7, 2, 3]);
  expect([...quantiles([], [0.5]), mean([])]).toEqual([Number.NaN, Number.NaN]);
  const values = [3, 1, 2];
  quantiles(values, [0.5]);
  expect(values).toEqual([3, 1, 2]);
});

describe("sums of pairs", () => {
  it("give slope, intercept and correlation of the definitions", () => {
    fc.assert(
      fc.property(numbers(3), numbers(12), (x, y) => {
        const sums = new PairSums();
        x.forEach((value, i) => {
          sums.add(value, y[i]!);
        });
        const own = y.slice(0, x.length);
        const [mx, my] = [mean(x), mean(own)];
        const cross = x.reduce((sum, value, i) => sum + (value - mx) * (own[i]! - my), 0);
        const xx = x.reduce((sum, value) => sum + (value - mx) ** 2, 0);
        const yy = own.reduce((sum, value) => sum + (value - my) ** 2, 0);
        expect([sums.n, sums.varX, sums.varY]).toEqual([
          x.length,
          expect.closeTo(xx, 9),
          expect.closeTo(yy, 9),
        ]);
        if (xx < 1e-9) return;
        expect(sums.slope).toBeCloseTo(cross / xx, 9);
        expect(sums.intercept).toBeCloseTo(my - (cross / xx) * mx, 9);
        if (yy > 1e-9) expect(sums.correlation).toBeCloseTo(cross / Math.sqrt(xx * yy), 9);
      }),
    );
  });

  it("give nothing of two pairs, or of values that do not vary", () => {
    const of = (...pairs: [number, number][]) => {
      const sums = new PairSums();
      for (const [x, y] of pairs) sums.add(x, y);
      return [sums.slope, sums.correlation];
    };
    expect(of([1, 1], [2, 2])).toEqual([Number.NaN, Number.NaN]);
    expect(of([1, 1], [1, 2], [1, 3])).toEqual([Number.NaN, Number.NaN]);
    expect(of([1, 2], [2, 2], [3, 2])).toEqual([0, Number.NaN]);
    expect(of([1, 2], [2, 4], [3, 6])).toEqual([2, 1]);
  });
});

it("a t of few clusters is a smaller deviate, of many the same, with its sign", () => {
  // A t of 3 with 5 degrees of freedom is as rare as a z of 2.17; to first order it is 2.10.
  expect(normalize(3, 6)).toBeCloseTo(Math.sqrt(5 * Math.log(2.8)) * 0.925, 9);
  expect(normalize(-3, 6)).toBe(-normalize(3, 6));
  expect(normalize(3, 1e6)).toBeCloseTo(3, 4);
  expect(normalize(0, 5)).toBe(0);
  // Of one cluster nothing is known: as of two.
  expect(normalize(3, 1)).toBe(normalize(3, 2));
});

it("two samples are compared by Student's t, positive where the first is larger", () => {
  // scipy.stats.ttest_ind([3, 4, 5], [1, 2, 3]) gives t = 2.449 with 4 degrees of freedom.
  expect(compareMeans([3, 4, 5], [1, 2, 3])).toBeCloseTo(normalize(2.449489743, 5), 6);
  expect(compareMeans([1, 2, 3], [3, 4, 5])).toBeCloseTo(-normalize(2.449489743, 5), 6);
  // Without any spread.
  expect(compareMeans([1, 1], [0, 0])).toBeGreaterThan(5);
  expect(compareMeans([1, 1], [1, 1])).toBe(0);
  // Of unequal sizes: −2.5 / √(8.5/3 · (1/2 + 1/3)), 3 degrees of freedom.
  expect(compareMeans([1, 2], [2, 4, 6])).toBeCloseTo(normalize(-1.62697843, 4), 6);
});

it("a logit keeps its digits near a probability of 1", () => {
  expect(logit(Math.log(0.5))).toBeCloseTo(0, 12);
  expect(logit(Math.log(0.2))).toBeCloseTo(Math.log(0.25), 12);
  expect(logit(-1e-12)).toBeCloseTo(-Math.log(1e-12), 6);
});

describe("Spearman's correlation", () => {
  it("is 1 or −1 of whatever only rises or falls, and has its z", () => {
    expect(spearman([1, 2, 3, 4, 5], [1, 4, 9, 16, 99])).toEqual({
      r: expect.closeTo(1, 12),
      z: expect.closeTo(2, 12),
    });
    expect(spearman([5, 4, 3, 2, 1], [1, 4, 9, 16, 99]).r).toBeCloseTo(-1, 12);
  });

  it("puts ties at their mean rank, as scipy does", () => {
    // scipy.stats.spearmanr([1, 2, 2, 3], [1, 3, 2, 4]) gives 0.9486832980505138.
    expect(spearman([1, 2, 2, 3], [1, 3, 2, 4]).r).toBeCloseTo(0.9486832980505138, 12);
  });

  it("is 0 where there is nothing to rank", () => {
    expect(spearman([1, 1, 1], [1, 2, 3])).toEqual({ r: 0, z: 0 });
    expect(spearman([], [])).toEqual({ r: 0, z: 0 });
  });
});
