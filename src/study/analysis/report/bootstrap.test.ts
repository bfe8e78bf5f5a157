import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { spearmanTest } from "../../../core/statistics/correlation.ts";
import { seededRandom } from "../../../core/statistics/random.ts";
import { seededBootstrap } from "./bootstrap.ts";
import { findTrend } from "./trend.ts";
import { testTurn } from "./turn-test.ts";

const values = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 6, maxLength: 40 });

test("the same seed gives the same interval, whatever was asked before", () => {
  fc.assert(
    fc.property(values, fc.integer(), (sample, seed) => {
      const used = seededBootstrap(50, seed);
      used.mean([1, 2, 3]);
      expect(used.mean(sample)).toEqual(seededBootstrap(50, seed).mean(sample));
    }),
  );
});

test("an interval has the mean in it, and grows with the values", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 6, maxLength: 40 }), (sample) => {
      const { low, high } = seededBootstrap(100, 1).mean(sample)!;
      const mean = sample.reduce((sum, x) => sum + x, 0) / sample.length;
      expect(low).toBeLessThanOrEqual(mean + 1e-9);
      expect(high).toBeGreaterThanOrEqual(mean - 1e-9);
      const doubled = seededBootstrap(100, 1).mean(sample.map((x) => 2 * x))!;
      expect(doubled).toEqual({ low: 2 * low, high: 2 * high });
    }),
  );
});

test("a normal mean's interval is about 1.96 standard errors wide on each side", () => {
  const random = seededRandom(5);
  const sample = Array.from(
    { length: 400 },
    () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
  const mean = sample.reduce((sum, x) => sum + x, 0) / 400;
  const error = Math.sqrt(sample.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 400) / 20;
  const { low, high } = seededBootstrap(2000, 3).mean(sample)!;
  expect((mean - low) / error).toBeCloseTo(1.96, 0);
  expect((high - mean) / error).toBeCloseTo(1.96, 0);
});

test("below six values there is none, without draws it is Student's t", () => {
  expect(seededBootstrap(500, 1).mean([1, 2, 3, 4, 5])).toBeNull();
  // scipy.stats.ttest_1samp([1, 2, 3, 4, 5, 6], 0).confidence_interval()
  const byT = seededBootstrap(0, 1).mean([1, 2, 3, 4, 5, 6])!;
  expect([byT.low, byT.high]).toEqual([expect.closeTo(1.536686, 6), expect.closeTo(5.463314, 6)]);
});

test("a long tail lengthens the side that it is on", () => {
  const skewed = Array.from({ length: 40 }, (_, i) => Math.exp(i / 10));
  const mean = skewed.reduce((sum, x) => sum + x, 0) / 40;
  const { low, high } = seededBootstrap(2000, 1).mean(skewed)!;
  expect((high - mean) / (mean - low)).toBeGreaterThan(1.2);
});

test("ratios need a denominator", () => {
  const zeros = new Array<number>(40).fill(0);
  expect(seededBootstrap(100, 1).ratio(zeros, zeros)).toBeNull();
  expect(seededBootstrap(100, 1).ratio(zeros.slice(0, 8), zeros.slice(0, 8))).toBeNull();
  const ones = zeros.map(() => 1);
  expect(
    seededBootstrap(100, 1).ratio(
      ones.map(() => 2),
      ones,
    ),
  ).toEqual({ low: 2, high: 2 });
});

test("random numbers are uniform, and as published for the seed", () => {
  const random = seededRandom(42);
  const first = Array.from({ length: 3 }, random);
  expect(first.map((x) => Number(x.toFixed(8)))).toEqual([0.60110375, 0.44829056, 0.85246579]);
  const bins = new Array<number>(10).fill(0);
  for (let i = 0; i < 10_000; i++) bins[Math.floor(random() * 10)]!++;
  expect(Math.max(...bins.map((n) => Math.abs(n - 1000)))).toBeLessThan(120);
});

describe("trends", () => {
  const ten = Array.from({ length: 10 }, (_, i) => 100 * i);

  test("say how ranks go along with steps, and test increments from six checkpoints on", () => {
    expect(findTrend([1, 2, 3, 4], [1, 4, 9, 16])).toEqual({ rho: 1, p_value: null });
    expect(findTrend([1, 2, 3], [1, 2, 3])).toBeUndefined();
    expect(findTrend([1, 2, 3, 4], [1, 1, 1, 1])).toBeUndefined();
    const steady = findTrend(
      ten,
      ten.map((step, i) => 0.01 * step + (i % 2)),
    )!;
    expect(steady.p_value!).toBeLessThan(0.05);
  });

  test("a path in order is not a drift where its increments could as well have been others", () => {
    // One large step, the others next to nothing: all are in order, but nothing says that later ones would be.
    const jump = ten.map((_, i) => (i < 5 ? 0 : 1) + 0.001 * i);
    expect(findTrend(ten, jump)).toMatchObject({ rho: 1 });
    expect(findTrend(ten, jump)!.p_value!).toBeGreaterThan(0.2);
  });

  test("wandering passes for a drift in one run of twenty, and in most by its ranks", () => {
    const random = seededRandom(2);
    let [drifts, ranked] = [0, 0];
    for (let run = 0; run < 1000; run++) {
      let at = 0;
      const walk = ten.map(() => {
        at += normal(random);
        return at;
      });
      if (findTrend(ten, walk)!.p_value! < 0.05) drifts++;
      if (spearmanTest(ten, walk).pValue < 0.05) ranked++;
    }
    expect(drifts).toBeGreaterThan(30);
    expect(drifts).toBeLessThan(70);
    expect(ranked).toBeGreaterThan(400);
  });
});

describe("turns", () => {
  test("a path that rises and falls has one, where it does", () => {
    const hump = Array.from({ length: 11 }, (_, i) => -Math.abs(i - 6));
    expect(testTurn(hump, 1)).toMatchObject({ place: 6, type: "max" });
    expect(testTurn(hump, 1)!.p_value).toBeLessThan(0.01);
    expect(
      testTurn(
        hump.map((value) => -value),
        1,
      ),
    ).toMatchObject({ place: 6, type: "min" });
  });

  test("a trend, a level that is reached, a leg of four values and fewer than nine have none", () => {
    const ten = Array.from({ length: 10 }, (_, i) => i);
    expect(testTurn(ten, 1)).toBeUndefined();
    expect(testTurn([0, 1, 2, 3, 4, 5, 5.2, 4.9, 5.1, 5], 1)).toBeUndefined();
    expect(testTurn([0, 1, 2, 3, 4, 5, 6, 5, 4, 3], 1)).toBeUndefined();
    expect(testTurn([0, 1, 2, 3, 3, 2, 1, 0], 1)).toBeUndefined();
  });

  test("jitter passes for one in less than one run of twenty", () => {
    const random = seededRandom(3);
    let turns = 0;
    for (let run = 0; run < 300; run++) {
      const found = testTurn(
        Array.from({ length: 10 }, () => normal(random)),
        run,
      );
      if (found !== undefined && found.p_value < 0.05) turns++;
    }
    expect(turns).toBeLessThan(15);
  });
});

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
