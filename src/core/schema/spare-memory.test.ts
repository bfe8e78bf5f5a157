import fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import { createFloatColumn, createIdColumn } from "./packed-column.ts";
import { findMemory, keepMemory } from "./spare-memory.ts";

// Tests of other files leave memory here as well.
beforeEach(() => {
  for (const kind of [new Float32Array(1), new Float64Array(1), new Int32Array(1)])
    while (findMemory(kind, 0) !== undefined);
});

it("hands memory out once, of the kind and at least of the length that is asked for", () => {
  const [short, long, ids] = [new Float64Array(3000), new Float64Array(5000), new Int32Array(6000)];
  for (const column of [short, long, ids]) keepMemory(column);
  expect(findMemory(new Float64Array(1), 4000)).toBe(long);
  expect(findMemory(new Float64Array(1), 4000)).toBeUndefined();
  expect(findMemory(new Float64Array(1), 3000)).toBe(short);
  expect(findMemory(new Int32Array(1), 6000)).toBe(ids);
});

it("keeps no more than its share", () => {
  const large = Array.from({ length: 5 }, () => new Float64Array(2 << 20));
  for (const column of large) keepMemory(column);
  const kept = large.filter(() => findMemory(large[0]!, 2 << 20) !== undefined);
  expect(kept.length).toBeLessThanOrEqual(3);
  expect(kept.length).toBeGreaterThan(0);
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
    { numRuns: 60 },
  );
});
