import { describe, expect, it } from "vitest";
import { Moments } from "./moments.ts";

const of = (values: readonly number[]): Moments => {
  const moments = new Moments();
  for (const value of values) moments.add(value);
  return moments;
};

describe("Moments", () => {
  it("keeps a spread a billion times smaller than the mean", () => {
    const moments = of([1e9 - 1, 1e9, 1e9 + 1]);
    expect(moments.mean).toBe(1e9);
    expect(moments.variance()).toBeCloseTo(2 / 3, 12);
    expect(moments.variance(1)).toBeCloseTo(1, 12);
    expect([moments.min, moments.max]).toEqual([1e9 - 1, 1e9 + 1]);
  });

  it("counts a weight as so many equal values", () => {
    const weighted = new Moments();
    weighted.add(2, 3);
    weighted.add(7, 0);
    weighted.add(5, 1);
    const single = of([2, 2, 2, 5]);
    expect(weighted).toEqual(single);
  });

  it("merges in any order, with nothing too", () => {
    const values = [0.1, -3, 8, 8, 1e-9];
    const merged = of(values.slice(3));
    merged.merge(new Moments());
    merged.merge(of(values.slice(0, 3)));
    const whole = of(values);
    expect(merged.count).toBe(5);
    expect(merged.mean).toBeCloseTo(whole.mean, 14);
    expect(merged.m2).toBeCloseTo(whole.m2, 12);
    expect([merged.min, merged.max]).toEqual([-3, 8]);
  });

  it("is NaN where there is no variance, and after a NaN", () => {
    expect(new Moments().variance()).toBeNaN();
    expect(of([4]).variance(1)).toBeNaN();
    expect(of([4]).variance()).toBe(0);
    const broken = of([1, Number.NaN, 2]);
    expect([broken.mean, broken.m2, broken.min, broken.max]).toEqual(Array(4).fill(Number.NaN));
  });
});
