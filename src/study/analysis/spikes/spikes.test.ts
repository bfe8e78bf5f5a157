import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { median } from "../../../core/statistics/median.ts";
import type { SpikeOptions } from "../summary.ts";
import { localOutliers } from "./local-outliers.ts";
import { meanAndStd, percentile } from "./series-statistics.ts";
import { detectSpikes } from "./spikes.ts";

type Figure = number | string;
interface Case {
  readonly series: string;
  readonly options: {
    readonly method: SpikeOptions["method"];
    readonly threshold: number;
    readonly min_spike_distance: number;
    readonly percentile: number;
  };
  readonly positions: number[];
  readonly zscores: Figure[];
  readonly regions: string;
  readonly threshold: Figure;
  readonly mean: Figure;
  readonly std: Figure;
  readonly density: Readonly<Record<string, number>>;
}
const path = new URL("../../../../test/fixtures/kl/spikes.json", import.meta.url);
const { series, cases } = JSON.parse(readFileSync(path, "utf8")) as {
  series: Record<string, Figure[]>;
  cases: Case[];
};
const DEFAULTS: SpikeOptions = { method: "zscore", threshold: 2, minDistance: 3, percentile: 95 };

describe("RL-Probe's detector, to the last bit", () => {
  test.each(cases)("$series $options", (given) => {
    const found = detectSpikes(series[given.series]!.map(Number), {
      ...given.options,
      minDistance: given.options.min_spike_distance,
    });
    expect(found.positions).toEqual(given.positions);
    expect(found.zscores.slice(0, 6)).toEqual(given.zscores.map(Number));
    expect(found.regions.map((region) => region[0]).join("")).toBe(given.regions);
    expect([found.threshold, found.meanKl, found.stdKl]).toEqual(
      [given.threshold, given.mean, given.std].map(Number),
    );
    expect(found.density).toEqual(given.density);
    expect(found.values).toEqual(found.positions.map((position) => series[given.series]![position]));
  });
});

test("says nothing of an empty series, but gives the threshold back", () => {
  expect(detectSpikes([], { ...DEFAULTS, threshold: 2.5 })).toEqual({
    positions: [],
    values: [],
    zscores: [],
    regions: [],
    threshold: 2.5,
    meanKl: 0,
    stdKl: 0,
    density: null,
  });
});

test("refuses a percentile that is none, and a method that does not exist", () => {
  const of = (options: object) => () => detectSpikes([1, 2], { ...DEFAULTS, ...options });
  expect(of({ method: "percentile", percentile: 101 })).toThrow("between 0 and 100, not 101");
  expect(of({ method: "percentile", percentile: Number.NaN })).toThrow("not NaN");
  expect(of({ method: "mad" })).toThrow('unknown spike method "mad"');
});

/** KL-like values with ties, constant stretches and eight orders of magnitude. */
const drawSeries = (maxLength: number): fc.Arbitrary<number[]> =>
  fc
    .array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom(0, 0.1, 1),
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.double({ min: 0, max: 1, noNaN: true }).map((x) => 10 ** (-8 * x)),
        ),
        fc.integer({ min: 1, max: 40 }),
      ),
      { minLength: 1, maxLength },
    )
    .map((runs) => runs.flatMap(([value, length]) => Array<number>(length > 20 ? length : 1).fill(value)));

test("local outliers are those of the plain definition", () => {
  fc.assert(
    fc.property(drawSeries(120), fc.constantFrom(0, 0.5, 1, 2, 3, -0.5), (list, threshold) => {
      const values = Float64Array.from(list);
      const half = Math.floor(Math.max(10, Math.floor(values.length / 10)) / 2);
      const plain = values.map((value, i) => {
        const window = values.slice(Math.max(0, i - half), i + half);
        const { mean, std } = meanAndStd(window);
        return std > 0 && (value - mean) / std > threshold ? 1 : 0;
      });
      expect([...localOutliers(values, threshold)]).toEqual([...plain]);
    }),
    { numRuns: 150 },
  );
});

test("spikes are apart, and each that was passed over is near a larger one", () => {
  fc.assert(
    fc.property(drawSeries(80), fc.integer({ min: 0, max: 12 }), (list, minDistance) => {
      const all = detectSpikes(list, { ...DEFAULTS, threshold: 0.3, minDistance: 0 });
      const kept = detectSpikes(list, { ...DEFAULTS, threshold: 0.3, minDistance });
      for (const [i, position] of kept.positions.entries())
        expect(position - (kept.positions[i - 1] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(
          minDistance,
        );
      for (const position of all.positions) {
        const near = kept.positions.filter((other) => Math.abs(other - position) < Math.max(1, minDistance));
        expect(Math.max(...near.map((other) => list[other]!))).toBeGreaterThanOrEqual(list[position]!);
      }
    }),
  );
});

test("of 30,000 adaptive windows of 3,000 tokens, few are summed anew", () => {
  const values = Float64Array.from(
    { length: 30_000 },
    (_, i) => ((i * 7919) % 1009) / 1009 + (i % 97 === 0 ? 9 : 0),
  );
  // Each block of a pairwise sum slices eight values. Summing every window takes minutes where a response is long, so
  // the test stops at about four times the slices that the possible outliers need.
  let copies = 0;
  values.slice = (...range) => {
    if (++copies > 40_000) throw new Error("windows are summed that cannot have an outlier");
    return Float64Array.prototype.slice.apply(values, range);
  };
  expect(localOutliers(values, DEFAULTS.threshold).filter(Boolean)).toHaveLength(Math.ceil(30_000 / 97));
  expect(copies).toBeGreaterThan(0);
});

test("median and percentile of nothing and of NaN are NaN", () => {
  expect([median(new Float64Array(0)), percentile(new Float64Array(0), 50)]).toEqual([
    Number.NaN,
    Number.NaN,
  ]);
  const withNaN = Float64Array.of(1, Number.NaN, 2);
  expect([median(withNaN), percentile(withNaN, 50)]).toEqual([Number.NaN, Number.NaN]);
});
