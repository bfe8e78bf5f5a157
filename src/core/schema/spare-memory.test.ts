import fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import { sized } from "../../../test/support/run-size.ts";
import { DEFAULT_BATCH_TOKENS } from "./builder.ts";
import { createFloatColumn, createIdColumn } from "./packed-column.ts";
import { type Column, findMemory, grownCapacity, releaseColumn, takeColumn } from "./spare-memory.ts";

function dropReleased(kind: Column): void {
  for (;;) {
    const grown = new (kind.constructor as Float64ArrayConstructor)(2000);
    // A length of one, so that the shortest one that was given back is found too.
    if (takeColumn(grown, 1).buffer !== grown.buffer) return;
  }
}

// Tests of other files leave memory here as well.
beforeEach(() => {
  for (const kind of [new Float32Array(1), new Float64Array(1), new Int32Array(1), new Uint8Array(1)]) {
    dropReleased(kind);
    while (findMemory(kind, 0) !== undefined);
  }
});

it("hands memory out once, of the kind and at least of the length that is asked for", () => {
  const [short, long, ids] = [new Float64Array(3000), new Float64Array(5000), new Int32Array(6000)];
  for (const column of [short, long, ids]) takeColumn(column, 1);
  expect(findMemory(new Float64Array(1), 4000)).toBe(long);
  expect(findMemory(new Float64Array(1), 4000)).toBeUndefined();
  expect(findMemory(new Float64Array(1), 3000)).toBe(short);
  expect(findMemory(new Int32Array(1), 6000)).toBe(ids);
});

it("keeps no more than its share: the latest", () => {
  const large = Array.from({ length: 5 }, () => new Float64Array(2 << 20));
  for (const column of large) takeColumn(column, 1);
  const kept = large.map(() => findMemory(large[0]!, 2 << 20)).filter((column) => column !== undefined);
  expect(kept.map((column) => large.indexOf(column))).toEqual([4, 3, 2]);
});

it("gives a batch what has grown as it is, once a column was given back to grow in its place", () => {
  const grown = Array.from({ length: 3 }, (_, i) => new Float64Array(2000).fill(i));
  const first = takeColumn(grown[0]!, 1500);
  expect(first.buffer).not.toBe(grown[0]!.buffer);
  expect(first).toEqual(new Float64Array(1500));
  releaseColumn(first);
  // Only once: afterwards the memory is somebody else's.
  releaseColumn(first);
  const second = takeColumn(grown[1]!, 1500);
  expect(second.buffer).toBe(grown[1]!.buffer);
  expect(second).toEqual(new Float64Array(1500).fill(1));
  expect(findMemory(grown[0]!, 1500)).toBe(first);
  expect(takeColumn(grown[2]!, 1500).buffer).not.toBe(grown[2]!.buffer);
  releaseColumn(second);
  expect(takeColumn(new Float64Array(1800), 1800)).toHaveLength(1800);
  expect(findMemory(grown[1]!, 2000)).toBe(grown[1]);
});

it("starts each of these tests with no memory, however short what others gave back is", () => {
  for (const length of [1025, 1500]) releaseColumn(takeColumn(new Float64Array(length), length));
  dropReleased(new Float64Array(1));
  const grown = new Float64Array(1025);
  expect(takeColumn(grown, 1).buffer).not.toBe(grown.buffer);
});

it("does not take what it has not given", () => {
  const own = new Float64Array(2000);
  releaseColumn(own);
  const grown = new Float64Array(2000);
  expect(takeColumn(grown, 1500).buffer).not.toBe(grown.buffer);
});

it("gives a batch what has grown as it is where the batch fills it, and keeps it when it was given back", () => {
  const grown = new Float64Array(2000).fill(1);
  expect(takeColumn(new Float64Array(2000), 1750).length).toBe(1750);
  expect(findMemory(grown, 1)).not.toBeUndefined();
  const column = takeColumn(grown, 1751);
  expect(column.buffer).toBe(grown.buffer);
  expect(column).toEqual(new Float64Array(1751).fill(1));
  expect(findMemory(grown, 1)).toBeUndefined();
  releaseColumn(column);
  // What is given back is used first, so that the next batch gets its column as it is.
  expect(takeColumn(new Float64Array(2000), 10).buffer).not.toBe(grown.buffer);
  expect(findMemory(grown, 2000)).toBe(grown);
});

it("lets a long column grow to a batch at once, and a longer one by a quarter", () => {
  const [many, batch] = [2 ** 17, 2 ** 20 + 2 ** 16];
  expect([100, 1025, 2048].map((end) => grownCapacity(1024, end))).toEqual([2048, 2048, 2048]);
  expect([many / 2 + 1, many].map((end) => grownCapacity(many / 2, end))).toEqual([many, many]);
  expect([many + 1, 2 ** 20, batch].map((end) => grownCapacity(many, end))).toEqual([batch, batch, batch]);
  expect(batch).toBeGreaterThan(DEFAULT_BATCH_TOKENS);
  expect(batch).toBeLessThan(1.2 * DEFAULT_BATCH_TOKENS);
  expect(grownCapacity(batch, batch + 1)).toBe(batch + batch / 4);
  expect(grownCapacity(batch, 2 * batch)).toBe(2 * batch);
});

const pieces = fc.array(
  fc.record({
    gap: fc.integer({ min: 0, max: 700 }),
    value: fc.constantFrom(-0.5, -1 / 3, 7, Number.NaN),
    length: fc.integer({ min: 1, max: 1500 }),
  }),
  { minLength: 1, maxLength: 8 },
);

it("gives columns that hold what was put, whatever others left in the memory they got", () => {
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 2, maxLength: 6 }), fc.nat(900), (columns, rest) => {
      const taken = columns.map((puts) => {
        const [floats, ids] = [createFloatColumn(), createIdColumn()];
        const [asPut, asIds]: [number[], number[]] = [[], []];
        for (const { gap, value, length } of puts) {
          const at = asPut.length + gap;
          const values = new Float64Array(length).fill(value);
          floats.put(at, values);
          ids.put(at, values);
          asPut.push(...new Array<number>(gap).fill(Number.NaN), ...values);
          asIds.push(...new Array<number>(gap).fill(-1), ...values.map((id) => (id === 7 ? 7 : -1)));
        }
        asPut.push(...new Array<number>(rest).fill(Number.NaN));
        asIds.push(...new Array<number>(rest).fill(-1));
        return { floats: floats.take(asPut.length), ids: ids.take(asIds.length), asPut, asIds };
      });
      // All of them together, after the last was filled: none lies in memory that another was given.
      for (const { floats, ids, asPut, asIds } of taken) {
        expect([...floats]).toEqual(asPut);
        expect([...ids]).toEqual(asIds);
      }
    }),
    { numRuns: sized(15, 60) },
  );
});
