import fc from "fast-check";
import { expect, test } from "vitest";
import { seededBootstrap } from "./bootstrap.ts";
import { seededRandom } from "./random.ts";
import { trendOf } from "./trend.ts";

const values = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 2, maxLength: 30 });

test("the same seed gives the same interval, whatever was asked before", () => {
  fc.assert(
    fc.property(values, fc.integer(), (sample, seed) => {
      const used = seededBootstrap(50, seed);
      used.mean([1, 2, 3]);
      expect(used.mean(sample)).toEqual(seededBootstrap(50, seed).mean(sample));
    }),
  );
});

test("an interval lies within the values", () => {
  fc.assert(
    fc.property(values, (sample) => {
      const { low, high } = seededBootstrap(100, 1).mean(sample)!;
      expect(low).toBeLessThanOrEqual(high);
      expect(low).toBeGreaterThanOrEqual(Math.min(...sample) - 1e-9);
      expect(high).toBeLessThanOrEqual(Math.max(...sample) + 1e-9);
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

test("ratios leave out draws without a denominator; one unit cannot be drawn anew", () => {
  expect(seededBootstrap(100, 1).mean([1])).toBeNull();
  expect(seededBootstrap(100, 1).ratio([0, 0], [0, 0])).toBeNull();
  expect(seededBootstrap(100, 1).ratio([2, 4], [1, 2])).toEqual({ low: 2, high: 2 });
});

test("random numbers are uniform, and as published for the seed", () => {
  const random = seededRandom(42);
  const first = Array.from({ length: 3 }, random);
  expect(first.map((x) => Number(x.toFixed(8)))).toEqual([0.60110375, 0.44829056, 0.85246579]);
  const bins = new Array<number>(10).fill(0);
  for (let i = 0; i < 10_000; i++) bins[Math.floor(random() * 10)]!++;
  expect(Math.max(...bins.map((n) => Math.abs(n - 1000)))).toBeLessThan(120);
});

test("a perfect order of four is 2 in 24", () => {
  expect(trendOf([1, 2, 3, 4], [1, 4, 9, 16])).toEqual({ rho: 1, p_value: 2 / 24 });
  expect(trendOf([1, 2, 3], [1, 2, 3])).toBeUndefined();
  expect(trendOf([1, 2, 3, 4], [1, 1, 1, 1])).toBeUndefined();
  // 10 checkpoints: Student's t says 0, chance says 2 / 10!.
  const ten = Array.from({ length: 10 }, (_, i) => i);
  expect(trendOf(ten, ten)!.p_value).toBeCloseTo(2 / 3628800, 15);
});
