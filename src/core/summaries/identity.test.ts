import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIELDS } from "../kernels/layout.ts";
import { mismatchSums } from "../kernels/mismatch.ts";
import type { TokenBlock } from "../kernels/token-block.ts";
import { KeyHash } from "./cluster-key.ts";
import { ClusterSums } from "./cluster-sums.ts";
import { readIdentity, sumSurprisal } from "./identity.ts";

interface Row {
  readonly cluster: number;
  readonly delta: readonly number[];
}

/** 1 − ρ where ρ < ½. */
const starve = (delta: number): number => (delta < Math.log(0.5) ? -Math.expm1(delta) : 0);

function collect(rows: readonly Row[], most?: number): ClusterSums {
  const clusters = new ClusterSums(most);
  for (const { cluster, delta } of rows) {
    const block: TokenBlock = {
      rollout: new Float64Array(delta.length).fill(-1),
      trainer: Float64Array.from(delta, (value) => value - 1),
      mask: new Uint8Array(delta.length).fill(1),
      offsets: Int32Array.of(0, delta.length),
    };
    const entropy = Float64Array.from(delta, (_, t) => 1 + 0.1 * Math.sin(7 * cluster + 3 * t));
    const surprisal = sumSurprisal(block, entropy, 0, delta.length);
    const starved = delta.reduce((sum, value) => sum + starve(value), 0);
    clusters.add(new KeyHash().addWord(cluster).key(), true, mismatchSums(block).rows, 0 * FIELDS, {
      surprisal,
      starved,
    });
  }
  return clusters;
}

/** One token. */
function makeOne(): TokenBlock {
  const mask = Uint8Array.of(1);
  return { rollout: Float64Array.of(-1), trainer: Float64Array.of(-1), mask, offsets: Int32Array.of(0, 1) };
}

const rows = fc.array(
  fc.record({
    cluster: fc.nat(8),
    delta: fc.array(
      fc.integer({ min: -192, max: 192 }).map((value) => value / 64),
      { minLength: 1, maxLength: 6 },
    ),
  }),
  { minLength: 2, maxLength: 30 },
);

/** Two passes, from single tokens. */
function testPlainly(groups: ReadonlyMap<number, readonly number[]>): number {
  const all = [...groups.values()].flat();
  const mean = all.reduce((a, b) => a + b, 0) / all.length;
  let spread = 0;
  for (const group of groups.values()) spread += group.reduce((sum, x) => sum + x - mean, 0) ** 2;
  return (mean * all.length) / Math.sqrt((groups.size / (groups.size - 1)) * spread);
}

/** 2C/(κ − 1), from 1 to C − 1, where κ is the kurtosis of how far the clusters' sums lie from their means. */
function countFreedom(groups: ReadonlyMap<number, readonly number[]>): number {
  const all = [...groups.values()].flat();
  const mean = all.reduce((a, b) => a + b, 0) / all.length;
  const squares = [...groups.values()].map((group) => group.reduce((sum, x) => sum + x - mean, 0) ** 2);
  const average = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
  const kurtosis = average(squares.map((square) => square ** 2)) / average(squares) ** 2;
  return Math.max(1, Math.min(groups.size - 1, (2 * groups.size) / (kurtosis - 1)));
}

describe("the identities", () => {
  it("agree with a plain computation over tokens", () => {
    fc.assert(
      fc.property(rows, (given) => {
        const groups = new Map<number, number[]>();
        for (const { cluster, delta } of given) {
          const excess = [...(groups.get(cluster) ?? []), ...delta.map(Math.expm1)];
          groups.set(cluster, excess);
        }
        const { unitMean, halfVariance } = readIdentity(collect(given));
        const all = [...groups.values()].flat();
        expect(unitMean.value).toBeCloseTo(1 + all.reduce((a, b) => a + b, 0) / all.length, 10);
        expect([unitMean.tokens, unitMean.clusters]).toEqual([all.length, groups.size]);
        const z = testPlainly(groups);
        if (Number.isFinite(z) && Math.abs(z) < 1e6) expect(unitMean.z / z).toBeCloseTo(1, 6);
        const deltas = given.flatMap(({ delta }) => delta);
        const squares = deltas.reduce((sum, x) => sum + x * x, 0);
        if (squares > 1e-9)
          expect(halfVariance).toBeCloseTo((-2 * deltas.reduce((a, b) => a + b, 0)) / squares, 6);
      }),
    );
  });

  it("have a test of each that agrees with a plain one over the tokens of each cluster", () => {
    fc.assert(
      fc.property(rows, (given) => {
        const found = readIdentity(collect(given));
        for (const [test, value, offset] of [
          [found.unitMean, Math.expm1, 1],
          [found.liftedMean, (delta: number) => Math.expm1(delta) + starve(delta), 1],
          [found.halfVarianceTest, (delta: number) => -2 * delta - delta * delta, 0],
        ] as const) {
          const groups = new Map<number, number[]>();
          for (const { cluster, delta } of given)
            groups.set(cluster, [...(groups.get(cluster) ?? []), ...delta.map(value)]);
          const all = [...groups.values()].flat();
          expect(test.value).toBeCloseTo(offset + all.reduce((a, b) => a + b, 0) / all.length, 10);
          expect([test.tokens, test.clusters]).toEqual([all.length, groups.size]);
          const z = testPlainly(groups);
          if (!Number.isFinite(z) || Math.abs(z) > 1e6) continue;
          expect(test.z / z || 1).toBeCloseTo(1, 6);
          expect(test.freedom).toBeCloseTo(countFreedom(groups), 6);
        }
      }),
    );
  });

  it("do not hang on the order of sequences, to 1e-12", () => {
    const given = Array.from({ length: 3000 }, (_, i) => ({
      cluster: i % 700,
      delta: [0.2 * Math.sin(i * 12.9898), 0.1 * Math.cos(i * 78.233), 1e-3 * Math.sin(i)],
    }));
    const [there, back] = [readIdentity(collect(given)), readIdentity(collect([...given].reverse()))];
    expect(Math.abs(there.unitMean.z)).toBeGreaterThan(0.01);
    expect(Math.abs(back.unitMean.z / there.unitMean.z - 1)).toBeLessThan(1e-12);
    expect(Math.abs((back.surprisal?.z ?? 0) / (there.surprisal?.z ?? 1) - 1)).toBeLessThan(1e-12);
    expect(Math.abs(back.halfVariance / there.halfVariance - 1)).toBeLessThan(1e-12);
  });

  it("have no z without a second cluster, and none where all differ by the same", () => {
    const one = readIdentity(collect([{ cluster: 1, delta: [0.1, 0.2] }]));
    expect(one.unitMean.z).toBeNaN();
    const same = readIdentity(
      collect(Array.from({ length: 50 }, (_, i) => ({ cluster: i, delta: new Array(i + 1).fill(-0.3) }))),
    );
    expect(same.unitMean.value).toBeCloseTo(Math.exp(-0.3), 12);
    expect(same.unitMean.z).toBeNaN();
    expect(same.halfVariance).toBeCloseTo(0.6 / 0.09, 9);
  });

  it("say nothing of equal log-probs, of no token, and of surprisal without entropies", () => {
    const equal = readIdentity(collect([0, 1].map((cluster) => ({ cluster, delta: [0, 0] }))));
    expect(equal.unitMean.value).toBe(1);
    expect([equal.unitMean.z, equal.halfVariance]).toEqual([Number.NaN, Number.NaN]);
    const none = readIdentity(new ClusterSums());
    expect([none.unitMean.value, none.halfVariance]).toEqual([Number.NaN, Number.NaN]);
    expect(none).not.toHaveProperty("surprisal");
  });

  it("find the surprisal off by as much as entropies are, in standard errors of the clusters", () => {
    // Mean surprisal − entropy of the clusters' single tokens: 0.1, 0.1, 0.4.
    const clusters = new ClusterSums();
    for (const [key, excess] of [0.1, 0.1, 0.4].entries())
      clusters.add(key * 2 ** 50, true, mismatchSums(makeOne()).rows, 0, {
        surprisal: { tokens: 1, excess },
      });
    const { surprisal } = readIdentity(clusters);
    expect(surprisal!.value).toBeCloseTo(0.2, 12);
    // √(3/2 · (0.01 + 0.01 + 0.04)) = 0.3
    expect(surprisal!.z).toBeCloseTo(0.6 / 0.3, 12);
    // κ = 3 (1 + 1 + 16) / 6² = 1.5, which would give 12 of the two there are at most.
    expect(surprisal!.freedom).toBe(2);
    expect(surprisal).toMatchObject({ tokens: 3, clusters: 3 });
  });

  it("count only clusters with a token of known entropy", () => {
    const clusters = new ClusterSums();
    for (const [key, tokens] of [1, 0, 2].entries())
      clusters.add(key * 2 ** 50, true, mismatchSums(makeOne()).rows, 0, {
        surprisal: { tokens, excess: tokens },
      });
    expect(readIdentity(clusters).surprisal).toMatchObject({ tokens: 3, clusters: 2 });
    expect(readIdentity(clusters).unitMean.clusters).toBe(3);
  });

  it("test surprisal over the tokens whose entropy is known", () => {
    const block = {
      rollout: Float32Array.of(-1, -2, -3, -4, Number.NEGATIVE_INFINITY),
      trainer: Float32Array.of(-1, Number.NaN, -3, -4, -1),
      mask: Uint8Array.of(1, 1, 1, 0, 1),
    };
    const entropy = Float32Array.of(0.5, 1, Number.NaN, 1, 1);
    expect(sumSurprisal(block, entropy, 0, 5)).toEqual({ tokens: 1, excess: 0.5 });
  });
});
