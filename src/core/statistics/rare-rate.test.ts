import { describe, expect, test } from "vitest";
import { gammaCdf, gammaQuantile } from "./gamma-distribution.ts";
import { seededRandom } from "./random.ts";
import { rareRate, rareShare } from "./rare-rate.ts";

describe("gammaCdf", () => {
  test("of whole shapes is Erlang's: 1 − e^−x Σ x^i / i!", () => {
    for (const a of [1, 2, 5, 20, 80]) {
      for (const x of [0.01, 0.5, 3, 19, 60, 120]) {
        let [term, sum] = [Math.exp(-x), 0];
        for (let i = 0; i < a; i++) {
          sum += term;
          term *= x / (i + 1);
        }
        expect(gammaCdf(x, a)).toBeCloseTo(1 - sum, 12);
      }
    }
  });

  test("of shape ½ is that of a squared normal", () => {
    // P(Z² ≤ 3.841458820694124) = 0.95
    expect(gammaCdf(3.841458820694124 / 2, 0.5)).toBeCloseTo(0.95, 12);
  });

  test("is inverted by gammaQuantile", () => {
    for (const a of [0.02, 0.5, 1, 7.3, 400, 1e5]) {
      for (const p of [1e-6, 0.025, 0.5, 0.975, 0.999999])
        expect(gammaCdf(gammaQuantile(p, a), a)).toBeCloseTo(p, 10);
    }
  });
});

describe("rareRate", () => {
  test("of single events is the exact Poisson interval (Garwood 1936)", () => {
    const { events, rate, low, high } = rareRate([1, 1, 1], 1000);
    expect([events, rate]).toEqual([3, 0.003]);
    expect(low * 1000).toBeCloseTo(0.618672, 5);
    expect(high * 1000).toBeCloseTo(8.767273, 5);
  });

  test("of no event reaches up to 3.69 of them", () => {
    const { rate, low, high } = rareRate([], 1e6);
    expect([rate, low]).toEqual([0, 0]);
    expect(high * 1e6).toBeCloseTo(3.688879, 5);
  });

  test("is wider where the same events lie in few clusters", () => {
    const apart = rareRate(new Array(12).fill(1), 1e5);
    const together = rareRate([10, 2], 1e5);
    expect(together.rate).toBe(apart.rate);
    expect(together.low).toBeLessThan(apart.low / 2);
    expect(together.high).toBeGreaterThan(apart.high);
  });

  test("has its lower bound above the true rate in at most 2.5 % of draws, clustered or not", () => {
    const random = seededRandom(5);
    const poisson = (mean: number): number => {
      let k = 0;
      for (let p = random(); p > Math.exp(-mean); p *= random()) k++;
      return k;
    };
    for (const sizes of [[1], [1, 2, 8]]) {
      const meanSize = sizes.reduce((a, b) => a + b) / sizes.length;
      let above = 0;
      const runs = 2000;
      for (let run = 0; run < runs; run++) {
        const counts = Array.from({ length: poisson(6) }, () => sizes[Math.floor(random() * sizes.length)]!);
        if (rareRate(counts, 1).low > 6 * meanSize) above++;
      }
      expect(above / runs).toBeLessThan(0.035);
    }
  });
});

describe("rareShare", () => {
  test("stays within 0 and 1 and around the share, however common and clustered", () => {
    const random = seededRandom(11);
    for (let run = 0; run < 300; run++) {
      const chance = run % 3 === 0 ? 1 : random();
      const clusters = Array.from({ length: 1 + Math.floor(12 * random()) }, () => {
        const tokens = 1 + Math.floor(40 * random());
        return { tokens, events: Math.min(tokens, Math.round(tokens * chance * (0.5 + random()))) };
      });
      const total = (of: "tokens" | "events"): number => clusters.reduce((sum, one) => sum + one[of], 0);
      const share = total("events") / total("tokens");
      const { low, high } = rareShare(clusters);
      expect([low >= 0, low <= share, share <= high, high <= 1]).toEqual([true, true, true, true]);
    }
  });

  test("is a rare rate where it is rare, and its complement where it is common", () => {
    const rare = [3, 0, 1].map((events) => ({ tokens: 100, events }));
    const { low, high } = rareRate([3, 1], 300);
    expect(rareShare(rare)).toEqual({ low, high });
    const common = rare.map(({ tokens, events }) => ({ tokens, events: tokens - events }));
    expect(rareShare(common)).toEqual({ low: 1 - high, high: 1 - low });
  });
});
