import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { meansByThird } from "./entropy-regions.ts";
import { findPeaks } from "./peaks.ts";
import { savitzkyGolay } from "./savitzky-golay.ts";
import { type TurningPointMethod, turningPoints } from "./turning-points.ts";

interface Fixture {
  readonly cases: readonly {
    readonly steps: number[];
    readonly values: number[];
    readonly method: TurningPointMethod;
    readonly minChange: number | null;
    readonly points: [number, number, string][];
  }[];
  readonly smoothed: readonly { values: number[]; window: number; order: number; smoothed: number[] }[];
  readonly peaks: readonly { values: number[]; peaks: number[] }[];
}
const path = new URL("../../../../test/fixtures/kl/turning-points.json", import.meta.url);
const { cases, smoothed, peaks } = JSON.parse(readFileSync(path, "utf8")) as Fixture;

describe("turning points of RL-Probe", () => {
  test.each(cases)(
    "$values.length values, $method, $minChange",
    ({ steps, values, method, minChange, points }) => {
      const found = turningPoints(steps, values, { method, ...(minChange !== null && { minChange }) });
      expect(found.map(({ step, type }) => [step, type])).toEqual(
        points.map(([step, , type]) => [step, type]),
      );
      for (const [i, { index, step, value }] of found.entries()) {
        expect(steps[index]).toBe(step);
        expect(value).toBeCloseTo(points[i]![1], 12);
      }
    },
  );

  test("some are found by every method", () => {
    for (const method of ["derivative", "smooth_derivative", "peaks"])
      expect(cases.filter((given) => given.method === method && given.points.length > 1)).not.toEqual([]);
  });

  test("a straight line has none, whatever smoothing rounds", () => {
    const steps = Array.from({ length: 40 }, (_, i) => i * 100);
    for (const slope of [0, 0.1, -1 / 3]) {
      const values = steps.map((step) => 0.7 + slope * step);
      for (const method of ["derivative", "smooth_derivative", "peaks"] as const)
        expect(turningPoints(steps, values, { method })).toEqual([]);
    }
  });

  test("steps without values and unknown methods are refused", () => {
    expect(() => turningPoints([1, 2, 3], [1], { method: "peaks" })).toThrow("got 1 for 3");
    const method = "second" as TurningPointMethod;
    expect(() => turningPoints([1, 2, 3], [1, 2, 3], { method })).toThrow(
      'unknown turning point method "second"',
    );
  });
});

test("the Savitzky-Golay filter is scipy's", () => {
  for (const given of smoothed) {
    const ours = savitzkyGolay(given.values, given.window, given.order);
    expect(ours).toHaveLength(given.smoothed.length);
    for (const [i, value] of ours.entries()) expect(value).toBeCloseTo(given.smoothed[i]!, 12);
  }
  for (const [window, order] of [
    [4, 2],
    [3, 3],
    [7, 2],
    [2.5, 1],
  ] as const)
    expect(() => savitzkyGolay([1, 2, 3, 4, 5], window, order)).toThrow(`not ${window}`);
});

test("peaks are scipy's, plateaus and all", () => {
  for (const given of peaks) expect(findPeaks(given.values)).toEqual(given.peaks);
  expect(peaks.filter((given) => given.peaks.length > 3).length).toBeGreaterThan(3);
});

test("entropy by thirds leaves the remainder to the last, and says nothing of two values", () => {
  expect(meansByThird([1, 2, 3, 4, 5])).toEqual({ early: 1, mid: 2, late: 4 });
  expect(meansByThird([1, 2])).toEqual({ early: Number.NaN, mid: Number.NaN, late: Number.NaN });
});
