import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ABS_DELTA_SUM, COUNT, DELTA_MEAN } from "../kernels/layout.ts";
import { emptySums } from "../kernels/merge.ts";
import { KeyHash } from "./cluster-key.ts";
import { CLUSTER, CLUSTER_WIDTH, ClusterSums } from "./cluster-sums.ts";
import { travelInto } from "./travel.test-data.ts";

/** Kernel sums of a sequence whose n tokens all have Δ = value. */
function makeRow(n: number, value: number): Float64Array {
  const row = emptySums();
  row[COUNT] = n;
  row[DELTA_MEAN] = value;
  row[ABS_DELTA_SUM] = n * Math.abs(value);
  return row;
}

const hashKey = (name: number): number => new KeyHash().addWord(name).key();

type Sequence = readonly [cluster: number, tokens: number, value: number];

function addClusters(sequences: readonly Sequence[], most: number): ClusterSums {
  const clusters = new ClusterSums(most);
  for (const [cluster, n, value] of sequences) clusters.add(hashKey(cluster), true, makeRow(n, value), 0);
  return clusters;
}

/** Values are multiples of 2^-10, so that sums are exact and equal in any order. */
const sequences = fc.array(
  fc.tuple(
    fc.nat(60),
    fc.integer({ min: 1, max: 30 }),
    fc.integer({ min: -500, max: 500 }).map((v) => v / 1024),
  ),
  { maxLength: 120 },
);

/** Rows in an order of their own. */
function rows(clusters: ClusterSums): string[] {
  const { table } = clusters;
  return Array.from({ length: clusters.count }, (_, g) =>
    [...table.subarray(g * CLUSTER_WIDTH, (g + 1) * CLUSTER_WIDTH)].join(" "),
  ).sort();
}

describe("sums by cluster", () => {
  it("adds the sequences of a prompt, wherever they were read", () => {
    const clusters = addClusters(
      [
        [1, 10, 0.5],
        [2, 5, -0.25],
        [1, 2, -1],
      ],
      100,
    );
    expect(clusters.count).toBe(2);
    const starts = [0, CLUSTER_WIDTH].map((at) => [...clusters.table.subarray(at, at + 3)]);
    expect(starts.sort(([a], [b]) => b! - a!)).toEqual([
      [12, 3, 7],
      [5, -1.25, 1.25],
    ]);
    expect(clusters.unit).toBe("prompt");
    expect(clusters.joined).toBe(false);
  });

  it("leaves out sequences without a token, and says when a prompt is not known", () => {
    const clusters = addClusters([[1, 10, 0.5]], 100);
    clusters.add(hashKey(2), false, makeRow(0, 0), 0);
    expect([clusters.count, clusters.unit]).toEqual([1, "prompt"]);
    clusters.add(hashKey(2), false, makeRow(1, 0), 0);
    expect([clusters.count, clusters.unit]).toEqual([2, "sequence"]);
  });

  it("ends in the same clusters however it is cut, ordered and merged, also where it must join some", () => {
    fc.assert(
      fc.property(
        sequences,
        fc.array(fc.nat(3), { minLength: 120, maxLength: 120 }),
        fc.constantFrom(4, 16, 200),
        (all, shards, most) => {
          const whole = addClusters(all, most);
          expect(whole.count).toBeLessThanOrEqual(most);
          const parts = [0, 1, 2, 3].map((shard) =>
            addClusters(all.filter((_, i) => shards[i] === shard).reverse(), most),
          );
          const [a, b, c, d] = parts as [ClusterSums, ClusterSums, ClusterSums, ClusterSums];
          d.merge(b);
          c.merge(d);
          c.merge(a);
          expect(rows(c)).toEqual(rows(whole));
          expect([c.unit, c.joined]).toEqual([whole.unit, whole.joined]);
        },
      ),
    );
  });

  it("keeps at least a quarter of the clusters that it may hold, of many more", () => {
    const clusters = new ClusterSums(256);
    for (let i = 0; i < 20_000; i++) clusters.add(hashKey(i), true, makeRow(1, i / 1024), 0);
    expect(clusters.joined).toBe(true);
    expect(clusters.count).toBeGreaterThan(64);
    expect(clusters.count).toBeLessThanOrEqual(256);
    const tokens = clusters.table.filter((_, i) => i % CLUSTER_WIDTH === CLUSTER.tokens);
    expect(tokens.reduce((sum, n) => sum + n, 0)).toBe(20_000);
  });

  it("survives bytes, infinities included", () => {
    const clusters = addClusters(
      [
        [1, 10, 0.5],
        [2, 5, Number.POSITIVE_INFINITY],
      ],
      100,
    );
    const back = travelInto(clusters, new ClusterSums());
    expect(rows(back)).toEqual(rows(clusters));
    expect([back.unit, back.count]).toEqual(["prompt", 2]);
  });
});

describe("keys of clusters", () => {
  it("are whole numbers below 2^53 that differ where names differ by a bit", () => {
    const keys = new Set<number>();
    for (let bit = 0; bit < 32; bit++)
      for (let other = 0; other < 32; other++) {
        const key = new KeyHash()
          .addWord(1 << bit)
          .addWord(1 << other)
          .key();
        expect(Number.isSafeInteger(key) && key >= 0).toBe(true);
        keys.add(key);
      }
    expect(keys.size).toBe(1024);
  });

  it("spread evenly over their upper bits", () => {
    const counts = new Array<number>(16).fill(0);
    for (let i = 0; i < 16_000; i++) counts[Math.floor(hashKey(i) / 2 ** 49)]!++;
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  it("take every NaN for the same, and texts by their letters", () => {
    const bits = new Float64Array(new BigUint64Array([0x7ff8000000000001n]).buffer)[0]!;
    expect(new KeyHash().addNumber(bits).key()).toBe(new KeyHash().addNumber(Number.NaN).key());
    expect(new KeyHash().addText("ab").addText("c").key()).not.toBe(
      new KeyHash().addText("a").addText("bc").key(),
    );
  });
});
