import { describe, expect, test } from "vitest";
import { clusteredFactor } from "./factor.ts";
import { seededRandom } from "./random.ts";

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

const floats = (...values: number[]) => Float64Array.from(values);

describe("clusteredFactor", () => {
  test("is the ratio of two ratios of sums", () => {
    const { factor, leaveOneOut, largest, withoutLargest } = clusteredFactor({
      sums: floats(6, 2, 0),
      sizes: floats(2, 2, 0),
      otherSums: floats(1, 0, 3),
      otherSizes: floats(1, 0, 3),
    });
    expect(factor).toBe(2);
    // Without the first cluster 1 against 1, without the second 3 against 1, without the third 2 against 1.
    expect(leaveOneOut).toEqual({ low: 1, high: 3 });
    expect(largest).toEqual({ cluster: 0, share: 0.75 });
    expect(withoutLargest).toBe(1);
  });

  test("has no interval with nine clusters on a side, nor where one holds over a tenth", () => {
    const even = (n: number) => new Float64Array(n).fill(1);
    const twelve = { sums: even(12), sizes: even(12), otherSums: even(12), otherSizes: even(12) };
    expect(clusteredFactor(twelve).interval).not.toBeNull();
    const nine = even(12).map((_, g) => (g < 9 ? 1 : 0));
    expect(clusteredFactor({ ...twelve, sums: nine, sizes: nine }).interval).toBeNull();
    const heavy = even(12).map((_, g) => (g === 0 ? 1.4 : 1));
    expect(clusteredFactor({ ...twelve, sums: heavy }).interval).toBeNull();
  });

  test("covers the true factor in about 95 % of runs, apart and within the same prompts", () => {
    const random = seededRandom(3);
    for (const apart of [true, false]) {
      const runs = 1000;
      let covered = 0;
      let given = 0;
      for (let run = 0; run < runs; run++) {
        const clusters = 100;
        const parts = [0, 1, 2, 3].map(() => new Float64Array(clusters));
        const [sums, sizes, otherSums, otherSizes] = parts as [
          Float64Array,
          Float64Array,
          Float64Array,
          Float64Array,
        ];
        for (let g = 0; g < clusters; g++) {
          const level = Math.exp(0.5 * normal(random));
          if (!apart || g % 2 === 0) {
            sizes[g] = 20 + Math.floor(40 * random());
            sums[g] = 2 * level * Math.exp(0.2 * normal(random)) * sizes[g]!;
          }
          if (!apart || g % 2 === 1) {
            otherSizes[g] = 20 + Math.floor(40 * random());
            otherSums[g] = level * Math.exp(0.2 * normal(random)) * otherSizes[g]!;
          }
        }
        const { interval } = clusteredFactor({ sums, sizes, otherSums, otherSizes });
        if (interval === null) continue;
        given++;
        if (interval.low <= 2 && 2 <= interval.high) covered++;
      }
      expect(given).toBeGreaterThan(700);
      expect(covered / given).toBeGreaterThan(0.91);
      expect(covered / given).toBeLessThan(0.985);
    }
  });
});
