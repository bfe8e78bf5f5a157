import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupRow, largestGroups } from "./group-columns.ts";
import { DENSE_GROUPS } from "./group-slots.ts";
import { GroupSums } from "./group-sums.ts";
import { toBytes, travelInto } from "./travel.test-data.ts";

function filled(groups: number[], delta: number[]): GroupSums {
  const sums = new GroupSums();
  addUnit(
    sums,
    groups.map((group, i) => [group, delta[i]!] as const),
  );
  return sums;
}

function addUnit(sums: GroupSums, tokens: readonly (readonly [group: number, delta: number])[]): void {
  const deltas = Float32Array.from(tokens, ([, delta]) => delta);
  const groups = Int32Array.from(tokens, ([group]) => group);
  const k3 = deltas.map((delta) => delta * delta);
  sums.addMany(groups, deltas, k3, 0, tokens.length);
  sums.settle();
}

describe("GroupSums", () => {
  it("sums by group and leaves negative groups out", () => {
    const rows = [...filled([3, 0, 3, -1], [1, -2, -3, 100]).rows()];
    expect(rows).toEqual([
      { group: 0, count: 1, delta: -2, deltaAbs: 2, k3: 4, deltaAbsMax: 2 },
      { group: 3, count: 2, delta: -2, deltaAbs: 4, k3: 10, deltaAbsMax: 3 },
    ]);
  });

  it("gives its rows as columns, and the largest of them as sorting does", () => {
    const values = fc.constantFrom(0, 0.5, -0.5, 1, 2, 3);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), values), { maxLength: 60 }),
        fc.integer({ min: 1, max: 8 }),
        (tokens, most) => {
          const sums = filled(
            tokens.map(([group]) => group),
            tokens.map(([, delta]) => delta),
          );
          const rows = [...sums.rows()];
          const columns = sums.columns();
          expect(rows.map((_, i) => groupRow(columns, i))).toEqual(rows);
          const sorted = [...rows].sort((a, b) => b.k3 - a.k3 || a.group - b.group);
          expect(largestGroups(columns, most)).toEqual(sorted.slice(0, most));
          expect(sums.largest(most)).toEqual(sorted.slice(0, most));
        },
      ),
    );
  });

  it("merges to the whole in either order, also as bytes", () => {
    const whole = filled([1, 70000, 1], [1, 2, -4]);
    const merged = filled([1], [-4]);
    merged.merge(travelInto(filled([1, 70000], [1, 2]), new GroupSums()));
    expect(toBytes(merged)).toEqual(toBytes(whole));
    const reversed = filled([1, 70000], [1, 2]);
    reversed.merge(filled([1], [-4]));
    expect(toBytes(reversed)).toEqual(toBytes(whole));
  });

  it("merges what was taken from it to the same bits, also infinities and NaN, and is empty then", () => {
    const values = fc.oneof(
      fc.float({ min: -8, max: 8, noNaN: true }),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    );
    const tokens = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), values), { maxLength: 30 });
    const fill = (some: readonly (readonly [number, number])[]): GroupSums =>
      filled(
        some.map(([group]) => group),
        some.map(([, delta]) => delta),
      );
    fc.assert(
      fc.property(tokens, tokens, (first, second) => {
        const whole = fill(first);
        whole.merge(fill(second));
        const giver = fill(second);
        // As a message to a thread copies it.
        const taken = structuredClone(giver.take());
        const merged = fill(first);
        merged.merge(GroupSums.ofArrays(taken));
        expect(toBytes(merged)).toEqual(toBytes(whole));
        expect([...giver.rows()]).toEqual([]);
        // And goes on from nothing.
        giver.merge(fill(first));
        expect(toBytes(giver)).toEqual(toBytes(fill(first)));
      }),
    );
  });

  it("reads every group of many shards, at the edges of blocks and beyond what waits at most", () => {
    // Blocks are of 2,048 groups, and what waits is added beyond 131,072 of them: here with each of the large shards.
    const edges = [0, 2047, 2048, 4095, 4096, 6143];
    const [few, many] = [
      edges.map((group, i) => [group, i + 0.5] as const),
      Array.from({ length: 140_000 }, (_, i) => [7 + i, (i % 5) / 4 - 0.5] as const),
    ];
    const make = (tokens: readonly (readonly [number, number])[]) =>
      filled(
        tokens.map(([group]) => group),
        tokens.map(([, delta]) => delta),
      );
    const shards = [few, many, many.slice(1), few.slice(0, 5), few];
    const whole = new GroupSums();
    for (const shard of shards) whole.merge(make(shard));
    for (const order of [shards, [...shards].reverse()]) {
      const read = new GroupSums();
      for (const shard of order) travelInto(make(shard), read);
      expect(Buffer.compare(toBytes(read), toBytes(whole))).toBe(0);
    }
    // The last group of all begins a block, or ends one.
    for (const edge of edges) {
      const read = travelInto(make([[edge, 0.5]]), new GroupSums());
      expect([...read.columns().groups]).toEqual([edge]);
      expect(read.columns().delta).toEqual(Float64Array.of(0.5));
    }
  });

  it("gives the same rows whether its units still wait or are settled, also in between", () => {
    // Also at the same place of different blocks.
    const group = fc.oneof(fc.nat(9000), fc.constantFrom(5, 2053, 4101, 8197));
    const token = fc.tuple(group, fc.float({ min: -9, max: 9, noNaN: true }));
    const units = fc.array(fc.array(token, { maxLength: 40 }), { maxLength: 4 });
    fc.assert(
      fc.property(units, fc.integer({ min: 1, max: 9 }), (batches, most) => {
        const [waiting, settled] = [new GroupSums(), filled([], [])];
        for (const tokens of batches) {
          const unit = filled(
            tokens.map(([group]) => group),
            tokens.map(([, delta]) => delta),
          );
          settled.merge(unit);
          addUnit(waiting, tokens);
          expect(waiting.columns()).toEqual(settled.columns());
          expect(waiting.largest(most)).toEqual(settled.largest(most));
        }
        expect(toBytes(waiting)).toEqual(toBytes(settled));
      }),
    );
  });

  it("adds units with most of a vocabulary, piece by piece", () => {
    const groups = Int32Array.from({ length: 70_000 }, (_, i) => 2 * i);
    const tokens = Float64Array.from(groups, (group) => 1 + (group % 3));
    const sums = Float64Array.from({ length: 3 * groups.length }, (_, i) => (i % 7) / 4);
    const largest = Float32Array.from(groups, (group) => (group % 5) / 4);
    const added = new GroupSums();
    for (let unit = 0; unit < 3; unit++)
      added.addCounted(groups.length, (from) => ({
        groups: groups.subarray(from, from + 999),
        tokens: tokens.subarray(from, from + 999),
        sums: sums.subarray(3 * from, 3 * (from + 999)),
        largest: largest.subarray(from, from + 999),
      }));
    const columns = added.columns();
    expect(columns.groups).toEqual(groups);
    expect(columns.count).toEqual(tokens.map((count) => 3 * count));
    expect(columns.delta).toEqual(Float64Array.from(groups, (_, i) => 3 * sums[3 * i]!));
    expect(columns.deltaAbs).toEqual(Float64Array.from(groups, (_, i) => 3 * sums[3 * i + 1]!));
    expect(columns.k3).toEqual(Float64Array.from(groups, (_, i) => 3 * sums[3 * i + 2]!));
    expect(columns.deltaAbsMax).toEqual(Float64Array.from(largest));
  });

  it("reads bytes into what is there as it merges, whatever the values", () => {
    const token = fc.tuple(
      fc.integer({ min: -1, max: 6 }),
      fc.oneof(
        fc.float(),
        fc.constantFrom(0, -0, 0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
      ),
    );
    const batch = fc.array(token, { maxLength: 12 });
    const make = (batches: (readonly [number, number])[][]): GroupSums => {
      const sums = new GroupSums();
      for (const tokens of batches)
        sums.merge(
          filled(
            tokens.map(([group]) => group),
            tokens.map(([, delta]) => delta),
          ),
        );
      return sums;
    };
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 4 }), fc.array(batch, { maxLength: 4 }), (ours, theirs) => {
        const merged = make(ours);
        merged.merge(make(theirs));
        expect(toBytes(travelInto(make(theirs), make(ours)))).toEqual(toBytes(merged));
        expect([...travelInto(merged, new GroupSums()).rows()]).toEqual([...merged.rows()]);
      }),
    );
  });

  describe("of token ids far beyond the others", () => {
    /** In ascending order, from the first one that has no place of its own number. */
    const LARGE = [DENSE_GROUPS, DENSE_GROUPS + 1, 2 ** 20 - 1, 2 ** 20, 2 ** 24 - 1, 2 ** 24] as const;
    const names = [0, 2047, 2048, ...LARGE];
    const token = fc.tuple(fc.nat(names.length - 1), fc.float({ min: -9, max: 9, noNaN: true }));
    const units = fc.array(fc.array(token, { maxLength: 12 }), { maxLength: 4 });

    function summed(batches: readonly (readonly [number, number])[][], name: (group: number) => number) {
      const sums = new GroupSums();
      for (const tokens of batches)
        addUnit(
          sums,
          tokens.map(([group, delta]) => [name(group), delta] as const),
        );
      return sums;
    }
    const large = (group: number): number => names[group]!;

    it("are the sums of the same groups under small numbers, whichever way they are read", () => {
      fc.assert(
        fc.property(units, units, (ours, theirs) => {
          const small = summed(ours, (group) => group);
          const renamed = (rows: Iterable<{ readonly group: number }>) =>
            [...rows].map((row) => ({ ...row, group: large(row.group) }));
          expect([...summed(ours, large).rows()]).toEqual(renamed(small.rows()));
          expect(summed(ours, large).largest(3)).toEqual(renamed(small.largest(3)));
          small.merge(summed(theirs, (group) => group));
          const both = renamed(small.rows());

          const merged = summed(ours, large);
          merged.merge(summed(theirs, large));
          expect([...merged.rows()]).toEqual(both);
          const moved = summed(ours, large);
          moved.merge(GroupSums.ofArrays(structuredClone(summed(theirs, large).take())));
          expect(toBytes(moved)).toEqual(toBytes(merged));
          const read = travelInto(summed(theirs, large), travelInto(summed(ours, large), new GroupSums()));
          expect(toBytes(read)).toEqual(toBytes(merged));
          expect([...read.rows()]).toEqual(both);
        }),
      );
    });

    it("take room for themselves, and not for all ids below them", () => {
      const spread = Array.from({ length: 70 }, (_, i) => Math.round(((i + 1) * 2 ** 24) / 70));
      const { small, large } = filled(spread, spread.map(Math.sin)).take();
      expect([...large!.groups]).toEqual(spread.filter((id) => id >= DENSE_GROUPS));
      expect(large!.sums.counts.length).toBeLessThan(2 * spread.length);
      expect(small.counts.length).toBeLessThanOrEqual(DENSE_GROUPS);
    });

    it("leave ids out that no vocabulary has, also at the ends of their type", () => {
      const wild = [2 ** 24 + 1, 2 ** 31 - 1, -1, -(2 ** 31)];
      const sums = filled([...wild, 5], [1, 2, 3, 4, 5]);
      expect([...sums.rows()].map(({ group, delta }) => [group, delta])).toEqual([[5, 5]]);
    });

    it("begin where the kernel's own table ends, also at the last group before", () => {
      const last = DENSE_GROUPS - 1;
      const { small, large } = filled([last, DENSE_GROUPS], [1, 2]).take();
      expect([small.counts[last], large!.groups]).toEqual([1, Int32Array.of(DENSE_GROUPS)]);
    });
  });
});
