import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ABS_DELTA_SUM, COUNT, DELTA_MEAN } from "../kernels/layout.ts";
import { emptySums } from "../kernels/merge.ts";
import { mismatchSums, type TokenBlock } from "../kernels/mismatch.ts";
import { KeyHash } from "./cluster-key.ts";
import { CLUSTER, CLUSTER_WIDTH, ClusterSums } from "./cluster-sums.ts";
import { toBytes, travelInto } from "./travel.test-data.ts";

/** Kernel sums of a sequence whose n tokens all have Δ = value. */
function makeRow(n: number, value: number): Float64Array {
  const row = emptySums();
  row[COUNT] = n;
  row[DELTA_MEAN] = value;
  row[ABS_DELTA_SUM] = n * Math.abs(value);
  return row;
}

function makeBlock(deltas: readonly (readonly [delta: number, mask: number])[]): TokenBlock {
  const rollout = Float64Array.from(deltas, (_, i) => -0.2 - (i % 5));
  return {
    rollout,
    trainer: rollout.map((value, i) => value + deltas[i]![0]),
    mask: Uint8Array.from(deltas, ([, mask]) => mask),
    offsets: Int32Array.of(0, deltas.length),
  };
}

/** The columns that kernel sums give, from single tokens. */
function sumPlainly({ rollout, trainer, mask }: TokenBlock): number[] {
  const own = new Array<number>(CLUSTER_WIDTH).fill(0);
  for (let t = 0; t < mask.length; t++) {
    if (mask[t] === 0) continue;
    const delta = trainer[t]! - rollout[t]!;
    const excess = Math.expm1(delta);
    own[CLUSTER.tokens]! += 1;
    own[CLUSTER.delta]! += delta;
    own[CLUSTER.deltaAbs]! += Math.abs(delta);
    own[CLUSTER.deltaSquare]! += delta * delta;
    own[CLUSTER.k3]! += excess - delta;
    own[CLUSTER.excess]! += excess;
    own[CLUSTER.excessSquare]! += excess * excess;
    own[CLUSTER.probTokens]! += 1;
    own[CLUSTER.probDiffAbs]! += Math.abs(Math.exp(trainer[t]!) - Math.exp(rollout[t]!));
  }
  return own;
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

const rowStarts = ({ table, count }: ClusterSums): number[][] =>
  Array.from({ length: count }, (_, g) => [...table.subarray(g * CLUSTER_WIDTH, g * CLUSTER_WIDTH + 3)]);

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
    expect(rowStarts(clusters).sort(([a], [b]) => b! - a!)).toEqual([
      [12, 3, 7],
      [5, -1.25, 1.25],
    ]);
    expect(clusters.unit).toBe("prompt");
    expect(clusters.joined).toBe(false);
  });

  it("has of every cluster the sums of its tokens", () => {
    // Beyond Δ = 20 the kernel keeps ρ apart; an infinite log-prob still is a probability.
    const delta = fc.oneof(fc.double({ min: -3, max: 3, noNaN: true }), fc.constantFrom(21, 25, -30, 0));
    const drawn = fc.record({
      cluster: fc.nat(4),
      deltas: fc.array(fc.tuple(delta, fc.constantFrom(0, 1, 1)), { minLength: 1, maxLength: 8 }),
      surprisal: fc.option(fc.record({ tokens: fc.nat(5), excess: fc.integer({ min: -8, max: 8 }) })),
      starved: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(drawn, { maxLength: 12 }), (all) => {
        const clusters = new ClusterSums();
        const plain = new Map<number, number[]>();
        for (const { cluster, deltas, surprisal, starved } of all) {
          const block = makeBlock(deltas);
          const extras = { surprisal: surprisal ?? undefined, starved };
          clusters.add(hashKey(cluster), true, mismatchSums(block).rows, 0, extras);
          const own = sumPlainly(block);
          if (own[CLUSTER.tokens] === 0) continue;
          own[CLUSTER.entropyTokens] = surprisal?.tokens ?? 0;
          own[CLUSTER.surprisal] = surprisal?.excess ?? 0;
          own[CLUSTER.starved] = starved;
          const known = plain.get(hashKey(cluster)) ?? new Array<number>(CLUSTER_WIDTH).fill(0);
          plain.set(
            hashKey(cluster),
            known.map((value, column) => value + own[column]!),
          );
        }
        const wanted = [...plain].sort(([a], [b]) => a - b).flatMap(([, row]) => row);
        expect(clusters.table.length).toBe(wanted.length);
        for (const [i, value] of wanted.entries())
          expect(Math.abs(clusters.table[i]! - value)).toBeLessThanOrEqual(1e-9 * (1 + Math.abs(value)));
      }),
    );
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

  it("keeps clusters apart up to the number that it may hold", () => {
    const clusters = new ClusterSums(8);
    for (let i = 0; i < 8; i++) clusters.add(i * 2 ** 50, true, makeRow(1, i / 1024), 0);
    expect([clusters.joined, clusters.count]).toEqual([false, 8]);
    clusters.add(2 ** 49, true, makeRow(1, 0.5), 0);
    expect([clusters.joined, clusters.count]).toEqual([true, 8]);
    // The new one has joined the first, whose key starts with the same bits.
    expect(rowStarts(clusters)[0]).toEqual([2, 0.5, 0.5]);
  });

  it("tells prompts apart whose keys differ in their last bit, where there is room for many", () => {
    for (const [most, count] of [
      [2 ** 10 + 1, 2],
      [2 ** 10, 1],
    ] as const) {
      const clusters = new ClusterSums(most);
      for (const key of [12344, 12345]) clusters.add(key, true, makeRow(1, 0.5), 0);
      expect([clusters.count, clusters.joined]).toEqual([count, false]);
    }
  });

  it("shows what was added after its table was read", () => {
    const clusters = addClusters([[1, 10, 0.5]], 100);
    expect(clusters.table).toBe(clusters.table);
    clusters.add(hashKey(1), true, makeRow(2, 0.5), 0);
    expect(clusters.table[CLUSTER.tokens]).toBe(12);
    clusters.merge(addClusters([[1, 3, 0.5]], 100));
    expect(clusters.table[CLUSTER.tokens]).toBe(15);
    travelInto(addClusters([[1, 5, 0.5]], 100), clusters);
    expect(clusters.table[CLUSTER.tokens]).toBe(20);
  });

  it("reads bytes into what is there as it merges, also where it must join some", () => {
    fc.assert(
      fc.property(sequences, sequences, fc.constantFrom(4, 16, 200), (ours, theirs, most) => {
        const merged = addClusters(ours, most);
        merged.merge(addClusters(theirs, most));
        const read = travelInto(addClusters(theirs, most), addClusters(ours, most));
        expect(toBytes(read)).toEqual(toBytes(merged));
        expect([read.sequences, read.unit]).toEqual([merged.sequences, merged.unit]);
        expect(read.designEffect()).toEqual(merged.designEffect());
      }),
    );
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
