import { describe, expect, test } from "vitest";
import { clusteredDifference } from "./clusters.ts";
import { seededRandom } from "./random.ts";
import { clusteredRatioDifference } from "./ratio-difference.ts";

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

const floats = (...values: number[]) => Float64Array.from(values);

function emptyParts(clusters: number): Record<"sums" | "sizes" | "otherSums" | "otherSizes", Float64Array> {
  return {
    sums: new Float64Array(clusters),
    sizes: new Float64Array(clusters),
    otherSums: new Float64Array(clusters),
    otherSizes: new Float64Array(clusters),
  };
}

describe("clusteredRatioDifference", () => {
  test("is the first mean less the second, over the clusters that have either", () => {
    const found = clusteredRatioDifference({
      sums: floats(6, 2, 0, 0),
      sizes: floats(2, 2, 0, 0),
      otherSums: floats(1, 0, 3, 0),
      otherSizes: floats(1, 0, 3, 0),
    });
    expect(found).toEqual({ difference: 1, interval: null, clusters: 3 });
  });

  test("has no interval with nine clusters in either part", () => {
    const even = (n: number) => new Float64Array(n).fill(1);
    const ten = { sums: even(10), sizes: even(10), otherSums: even(10), otherSizes: even(10) };
    expect(clusteredRatioDifference(ten).interval).toEqual({ low: 0, high: 0 });
    const nine = even(10).map((_, g) => (g < 9 ? 1 : 0));
    expect(clusteredRatioDifference({ ...ten, sums: nine, sizes: nine }).interval).toBeNull();
    expect(clusteredRatioDifference({ ...ten, otherSums: nine, otherSizes: nine }).interval).toBeNull();
    expect(clusteredRatioDifference({ ...ten, sums: nine, sizes: nine }).clusters).toBe(10);
  });

  test("has the variance of a regression on an indicator, where every cluster is one value", () => {
    const random = seededRandom(11);
    const parts = emptyParts(400);
    const values: number[] = [];
    for (let g = 0; g < 400; g++) {
      values.push(normal(random) + (g % 2));
      const [sums, sizes] = g % 2 === 1 ? [parts.sums, parts.sizes] : [parts.otherSums, parts.otherSizes];
      sums[g] = values[g]!;
      sizes[g] = 1;
    }
    const { difference, interval } = clusteredRatioDifference(parts);
    const { difference: slope, interval: wide } = clusteredDifference(
      values,
      values.map((_, g) => g % 2 === 1),
      values.map((_, g) => g),
    );
    expect(difference).toBeCloseTo(slope, 12);
    // Its factor (n − 1)/(n − 2) and degrees of freedom differ by under half a percent here.
    expect((interval!.high - interval!.low) / (wide.high - wide.low)).toBeCloseTo(1, 2);
  });

  test.each([
    ["the same tokens, twice", true],
    ["other prompts", false],
  ])("covers the true difference in about 95 %% of runs: %s", (_, paired) => {
    const random = seededRandom(5);
    let [covered, width] = [0, 0];
    for (let run = 0; run < 1000; run++) {
      const parts = emptyParts(60);
      for (let g = 0; g < 60; g++) {
        const level = 1 + 0.4 * normal(random);
        const size = 20 + Math.floor(40 * random());
        if (paired || g % 2 === 0) {
          parts.sizes[g] = size;
          parts.sums[g] = (level + 0.1 + 0.05 * normal(random)) * size;
        }
        if (paired || g % 2 === 1) {
          parts.otherSizes[g] = size;
          parts.otherSums[g] = (level + 0.05 * normal(random)) * size;
        }
      }
      const { low, high } = clusteredRatioDifference(parts).interval!;
      if (low <= 0.1 && 0.1 <= high) covered++;
      width += (high - low) / 1000;
    }
    expect(covered / 1000).toBeGreaterThan(0.93);
    expect(covered / 1000).toBeLessThan(0.975);
    // Pairing pays: levels of prompts cancel.
    if (paired) expect(width).toBeLessThan(0.05);
    else expect(width).toBeGreaterThan(0.3);
  });
});
