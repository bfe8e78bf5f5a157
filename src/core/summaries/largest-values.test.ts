import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LargestValues } from "./largest-values.ts";
import { travelInto } from "./travel.test-data.ts";

const sortDown = (values: readonly number[]): number[] => [...values].sort((a, b) => b - a);
const fill = (values: readonly number[], kept: number): LargestValues => {
  const largest = new LargestValues(kept);
  for (const value of values) largest.add(value);
  return largest;
};
/** Many ties, as log-ratios of equal engines have. */
const values = fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 200 });

describe("the largest of many values", () => {
  it("are those of a sorted list, however the values come, are cut and merged", () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 40 }), fc.nat(200), (all, kept, cut) => {
        const wanted = sortDown(all).slice(0, kept);
        expect([...fill(all, kept).list()]).toEqual(wanted);
        const merged = fill(all.slice(cut), kept);
        merged.merge(fill(all.slice(0, cut).reverse(), kept));
        expect([...merged.list()]).toEqual(wanted);
        expect(merged.count).toBe(all.length);
        const travelled = travelInto(merged, new LargestValues(kept));
        expect([[...travelled.list()], travelled.count]).toEqual([wanted, all.length]);
      }),
    );
  });

  it("let go of what can no longer be among them, and go on after a list was made", () => {
    const largest = fill([1, 2, 3, 4, 5, 6, 7, 8, 9], 3);
    expect([...largest.list()]).toEqual([9, 8, 7]);
    expect(largest.bound).toBe(7);
    largest.add(7);
    largest.add(10);
    expect([...largest.list()]).toEqual([10, 9, 8]);
    largest.skip(5);
    expect(largest.count).toBe(16);
  });
});
