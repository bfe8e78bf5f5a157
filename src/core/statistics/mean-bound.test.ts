import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { studentTail } from "./distributions.ts";
import { boundMean, boundShareOfNone, boundUnseen, studentQuantile } from "./mean-bound.ts";
import { seededRandom } from "./random.ts";

interface Case {
  readonly name: string;
  readonly alpha: number;
  readonly sums: readonly number[];
  readonly counts: readonly number[];
  readonly mean: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly clusters: number;
}

const CASES = JSON.parse(
  readFileSync(new URL("../../../test/fixtures/compare/bounds.json", import.meta.url), "utf8"),
) as Case[];

describe("boundMean", () => {
  it.each(CASES)("is the Python package's: $name at $alpha", ({ sums, counts, alpha, ...expected }) => {
    const found = boundMean(sums, counts, alpha);
    expect(found.clusters).toBe(expected.clusters);
    expect(found.mean).toBeCloseTo(expected.mean, 12);
    expect(found.low === undefined).toBe(expected.low === null);
    if (expected.low !== null) expect(found.low! / expected.low).toBeCloseTo(1, 9);
    if (expected.high !== null) expect(found.high! / expected.high).toBeCloseTo(1, 9);
  });

  it("passes over clusters without tokens, and says how many are too few", () => {
    const found = boundMean([1, 2, 0], [1, 1, 0], 0.05);
    expect([found.clusters, found.low, found.reason]).toEqual([2, undefined, "2 of at least 10"]);
  });

  // Normal, exponential and log-normal means of clusters of different sizes, whose true mean is 1.
  it.each([
    ["normal", 20, (random: () => number) => 1 + 0.5 * drawNormal(random), 0.075],
    ["exponential", 20, (random: () => number) => -Math.log(1 - random()), 0.075],
    ["log-normal", 50, (random: () => number) => Math.exp(drawNormal(random) - 0.5), 0.075],
  ])("an upper bound lies below the truth in about 5 %% of samples at most: %s", (_, groups, draw, most) => {
    const random = seededRandom(7);
    let misses = 0;
    const samples = 2000;
    for (let i = 0; i < samples; i++) {
      const counts = Array.from({ length: groups }, () => 20 + Math.floor(80 * random()));
      const sums = counts.map((count) => count * draw(random));
      if (boundMean(sums, counts, 0.05).high! < 1) misses++;
    }
    expect(misses / samples).toBeLessThan(most);
  });
});

function drawNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

describe("studentQuantile", () => {
  it.each([
    [0.05, 9, 1.8331129326536335],
    [0.025, 1, 12.706204736432095],
    [0.001, 30, 3.3851848662],
  ])("of a tail of %s with %s degrees of freedom", (tail, freedom, expected) => {
    expect(studentQuantile(tail, freedom)).toBeCloseTo(expected, 8);
    expect(studentTail(studentQuantile(tail, freedom), freedom) / 2).toBeCloseTo(tail, 12);
  });
});

describe("boundShareOfNone", () => {
  it("is the share that none of n would be seen of in 5 % of samples: about 3/n", () => {
    for (const n of [1, 20, 1000, 10 ** 9]) {
      const share = boundShareOfNone(n, 0.05);
      expect(n * Math.log1p(-share)).toBeCloseTo(Math.log(0.05), 9);
    }
    expect(1000 * boundShareOfNone(1000, 0.05)).toBeCloseTo(2.99, 2);
    expect(boundShareOfNone(0, 0.05)).toBe(1);
  });
});

describe("boundUnseen", () => {
  const bounds = { mean: 1, low: 0.5, high: 2, clusters: 10 };

  it("adds the share of clusters that may be unseen, at 50 times the mean", () => {
    const share = 1 - 0.05 ** 0.1;
    expect(boundUnseen(bounds, 0.05)).toBeCloseTo((1 - share) * 2 + share * 50, 12);
    expect(boundUnseen({ ...bounds, clusters: 10 ** 9 }, 0.05)).toBeCloseTo(2, 6);
    expect(boundUnseen({ ...bounds, high: undefined }, 0.05)).toBeUndefined();
  });

  it("holds where 5 % of clusters are 50 times as far off, which few samples show", () => {
    const random = seededRandom(9);
    let [plain, reserved] = [0, 0];
    const samples = 1000;
    for (let i = 0; i < samples; i++) {
      const sums = Array.from({ length: 20 }, () => (random() < 0.05 ? 50 : 1) * (0.9 + 0.2 * random()));
      const found = boundMean(sums, new Array(20).fill(1), 0.05);
      if (found.high! < 3.45) plain++;
      if (boundUnseen(found, 0.05)! < 3.45) reserved++;
    }
    expect(plain / samples).toBeGreaterThan(0.3);
    expect(reserved).toBe(0);
  });
});

describe("boundMean of clusters whose level is in proportion to their length", () => {
  it("lies below the truth in about 5 % of samples at most", () => {
    const random = seededRandom(10);
    let misses = 0;
    const samples = 1000;
    for (let i = 0; i < samples; i++) {
      const counts = Array.from({ length: 50 }, () => Math.exp(0.8 * drawNormal(random)));
      const sums = counts.map((count) => count * count);
      // E[n²] / E[n] of log-normal n.
      if (boundMean(sums, counts, 0.05).high! < Math.exp(1.5 * 0.64)) misses++;
    }
    expect(misses / samples).toBeLessThan(0.075);
  });
});
