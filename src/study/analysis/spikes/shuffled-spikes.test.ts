import { expect, test } from "vitest";
import { seededRandom } from "../../../core/statistics/random.ts";
import { shuffledSpikes } from "./shuffled-spikes.ts";
import { detectSpikes } from "./spikes.ts";

const zscore = { method: "zscore", threshold: 2, minDistance: 5, percentile: 95 } as const;

test("values without an order have as many spikes as their shuffles, by every method", () => {
  const random = seededRandom(8);
  for (const method of ["zscore", "percentile", "adaptive"] as const) {
    let [found, shuffled] = [0, 0];
    for (let text = 0; text < 150; text++) {
      const values = Array.from({ length: 80 }, () => -Math.log(1 - random()));
      found += detectSpikes(values, { ...zscore, method }).positions.length;
      shuffled += shuffledSpikes(values, { ...zscore, method });
    }
    expect(found / 150).toBeGreaterThan(1);
    expect(found / shuffled).toBeGreaterThan(0.93);
    expect(found / shuffled).toBeLessThan(1.07);
  }
});

test("large values that stand together make fewer spikes than apart, and shuffles tell", () => {
  const together = Array.from({ length: 60 }, (_, i) => (i >= 20 && i < 24 ? 5 : 0.1));
  expect(detectSpikes(together, zscore).positions).toHaveLength(1);
  expect(shuffledSpikes(together, zscore)).toBeGreaterThan(2);
  expect(shuffledSpikes(together, zscore)).toBe(shuffledSpikes(together, zscore));
  expect(shuffledSpikes([], zscore)).toBe(0);
});
