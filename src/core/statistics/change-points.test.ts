import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findChangePoints } from "./change-points.ts";

const find = (values: readonly number[], variance = 1e-3): number[] =>
  findChangePoints(values, new Float64Array(values.length).fill(variance));

const levels = (...parts: readonly [count: number, level: number][]): number[] =>
  parts.flatMap(([count, level], part) =>
    Array.from({ length: count }, (_, i) => level + 0.05 * Math.sin(7 * i + part)),
  );

describe("change points", () => {
  it("are where a level starts, of a value or many", () => {
    expect(find(levels([20, 0], [30, 1.5], [20, 0]))).toEqual([20, 50]);
    expect(find(levels([20, 0], [1, 2], [20, 0]))).toEqual([20, 21]);
    expect(find(levels([3, 2], [9, 0]))).toEqual([3]);
    expect(find([0, 0, 4])).toEqual([2]);
  });

  it("are none of few or equal values, of a slope, or of what sampling explains", () => {
    for (const values of [[], [1], [0, 1], [0, 0, 0, 0], levels([40, 3])]) expect(find(values)).toEqual([]);
    expect(find(Array.from({ length: 200 }, (_, i) => 0.05 * i))).toEqual([]);
    expect(find(levels([5, 0], [5, 1.5]), 0.5)).toEqual([]);
  });

  it("turn around with the values, and do not depend on their zero or sign", () => {
    const value = fc.integer({ min: -40, max: 40 }).map((tenths) => tenths / 8);
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 60 }), (values) => {
        const found = find(values);
        expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
        for (const at of found) expect(at > 0 && at < values.length).toBe(true);
        expect(find(values.map((each) => 8 - each))).toEqual(found);
      }),
    );
    const jumps = levels([9, 0], [12, 2], [15, -1]);
    expect(find(jumps.toReversed()).map((at) => jumps.length - at)).toEqual(find(jumps).toReversed());
  });

  it("may be everywhere", () => {
    const blocks = Array.from({ length: 3000 }, (_, i) => 3 * (Math.floor(i / 10) % 2));
    expect(find(blocks)).toEqual(Array.from({ length: 299 }, (_, i) => 10 * (i + 1)));
  });
});
