import { describe, expect, it } from "vitest";
import { LengthMismatchError } from "../base/errors.ts";
import { clusterInterval } from "./cluster-interval.ts";
import { clusteredShare, wilson } from "./clusters.ts";
import { studentQuantile95, studentTail } from "./distributions.ts";
import { driftTest } from "./drift.ts";
import { poissonBinomialTail } from "./poisson-binomial.ts";
import { seededRandom } from "./random.ts";

describe("driftTest", () => {
  it("is the test of the increments' mean where steps are even", () => {
    const values = [3, 4, 6, 5, 9, 8.5];
    // Increments 1, 2, −1, 4, −½: mean 1.1, Σ e² = 16.2, standard error √(16.2 / 4 / 5) = 0.9.
    const drift = driftTest([0, 1, 2, 3, 4, 5], values);
    expect(drift.drift).toBeCloseTo(1.1, 12);
    expect(drift.statistic).toBeCloseTo(1.1 / 0.9, 12);
    expect(drift.pValue).toBeCloseTo(studentTail(1.1 / 0.9, 4), 12);
    expect(drift.degreesOfFreedom).toBe(4);
    expect(drift.interval.low).toBeCloseTo(1.1 - 0.9 * studentQuantile95(4), 12);
    expect(drift.interval.high).toBeCloseTo(1.1 + 0.9 * studentQuantile95(4), 12);
  });

  it("weighs increments by the time that they took", () => {
    // Steps of 1, 3 and 4 with changes 2, 3 and 11: μ = 2; Σ (d − 2h)² / h = 0 + 3 + 9/4, over 2 degrees of freedom.
    const { drift, statistic, degreesOfFreedom } = driftTest([10, 11, 14, 18], [0, 2, 5, 16]);
    expect(drift).toBe(2);
    expect(degreesOfFreedom).toBe(2);
    expect(statistic).toBeCloseTo(2 / Math.sqrt(5.25 / 2 / 8), 12);
  });

  it("knows nothing of two values, or of values that do not move", () => {
    expect(driftTest([0, 1], [0, 1]).pValue).toBeNaN();
    expect(driftTest([0, 1, 2], [4, 4, 4]).pValue).toBeNaN();
  });

  it("refuses times that are not those of the values", () => {
    expect(() => driftTest([0, 1], [0, 1, 2])).toThrow(LengthMismatchError);
  });
});

describe("clusterInterval", () => {
  it("reaches t standard errors to either side, with the degrees of freedom that few large influences leave", () => {
    // Equal sizes: κ = 1, so that G − 1 degrees of freedom are left.
    const even = clusterInterval(5, Float64Array.of(1, -1, 1, -1), "linear");
    const margin = studentQuantile95(3) * Math.sqrt((4 / 3) * 4);
    expect(even.low).toBeCloseTo(5 - margin, 12);
    expect(even.high).toBeCloseTo(5 + margin, 12);
    // One that outweighs the rest: κ = 4 · 82 / 100 · … , 2G/(κ − 1) degrees of freedom.
    const influences = Float64Array.of(3, -1, 1, -1);
    const kurtosis = (4 * (81 + 3)) / 12 ** 2;
    const uneven = clusterInterval(5, influences, "linear");
    const wide = studentQuantile95(Math.min(3, 8 / (kurtosis - 1))) * Math.sqrt((4 / 3) * 12);
    expect(uneven.high - 5).toBeCloseTo(wide, 12);
    // One alone carries it: never below one degree of freedom.
    const lone = clusterInterval(5, Float64Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 0), "linear");
    expect(lone.high - 5).toBeCloseTo(studentQuantile95(20 / 9) * Math.sqrt(10 / 9), 12);
  });

  it("leaves all degrees of freedom to equal influences, whatever their fourth powers round to", () => {
    for (let tenth = 1; tenth <= 30; tenth++) {
      const e = tenth / 10;
      const { high } = clusterInterval(5, Float64Array.of(e, -e, e, -e, e, -e), "linear");
      expect(high - 5).toBeCloseTo(studentQuantile95(5) * Math.sqrt((6 / 5) * 6 * e * e), 9);
    }
  });

  it("stays above 0 on the log scale, by the same margin to first order", () => {
    const { low, high } = clusterInterval(2, Float64Array.of(0.1, -0.1, 0.1, -0.1), "log");
    const margin = studentQuantile95(3) * Math.sqrt((4 / 3) * 0.04);
    expect(low).toBeCloseTo(2 * Math.exp(-margin / 2), 12);
    expect(high).toBeCloseTo(2 * Math.exp(margin / 2), 12);
  });
});

describe("clusteredShare", () => {
  it("leaves all degrees of freedom to clusters that are equally far from the share", () => {
    for (let size = 3; size <= 30; size++) {
      // Six clusters, one hit in half of them and two in the others.
      const hits = Array.from({ length: 6 * size }, (_, i) => i % size < 1 + (Math.floor(i / size) % 2));
      const clusters = hits.map((_, i) => Math.floor(i / size));
      const { share, draws, interval } = clusteredShare(hits, clusters);
      const wanted = wilson(share, draws, studentQuantile95(5));
      expect(interval.low, `of ${size}`).toBeCloseTo(wanted.low, 9);
      expect(interval.high, `of ${size}`).toBeCloseTo(wanted.high, 9);
    }
  });
});

describe("poissonBinomialTail", () => {
  it("is the binomial tail where chances are equal", () => {
    expect(poissonBinomialTail([0.5, 0.5, 0.5, 0.5], 3)).toBeCloseTo(5 / 16, 14);
    expect(poissonBinomialTail([0.1, 0.1], 2)).toBeCloseTo(0.01, 14);
  });

  it("takes each trial's own chance", () => {
    expect(poissonBinomialTail([0.1, 0.4, 1], 2)).toBeCloseTo(1 - 0.9 * 0.6, 14);
    expect(poissonBinomialTail([0.1, 0.4, 1], 3)).toBeCloseTo(0.04, 14);
    expect(poissonBinomialTail([0.1, 0.4, 0], 3)).toBe(0);
  });

  it("is 1 for none, and 0 for more than there are trials", () => {
    expect(poissonBinomialTail([0.2, 0.3], 0)).toBeCloseTo(1, 14);
    expect(poissonBinomialTail([0.2, 0.3], -1)).toBeCloseTo(1, 14);
    expect(poissonBinomialTail([0.2, 0.3], 3)).toBe(0);
    expect(poissonBinomialTail([], 0)).toBe(1);
  });
});

describe("seededRandom", () => {
  it("draws the same from the same seed on every machine", () => {
    // Mulberry32 of seed 1, as published implementations give it.
    const random = seededRandom(1);
    expect([random(), random(), random()]).toEqual([
      0.6270739405881613, 0.002735721180215478, 0.5274470399599522,
    ]);
    const other = seededRandom(2 ** 32 + 1);
    expect(other()).toBe(0.6270739405881613);
  });

  it("is even over 0 to 1, 1 excluded", () => {
    const random = seededRandom(7);
    const counts = new Int32Array(10);
    for (let i = 0; i < 10_000; i++) counts[Math.floor(random() * 10)]!++;
    expect(Math.min(...counts)).toBeGreaterThan(900);
    expect(Math.max(...counts)).toBeLessThan(1100);
  });
});
