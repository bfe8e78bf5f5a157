import fc from "fast-check";
import { expect, it } from "vitest";
import { CellCounts } from "./cell-counts.ts";

/** Up to 3,000: a list holds 2,048. */
const words = fc
  .tuple(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 600 }), fc.constantFrom(1, 5))
  .map(([values, times]) =>
    // Both signs, and with 255 an infinity.
    Uint32Array.from({ length: times * values.length }, (_, i) => {
      const value = values[i % values.length]!;
      return ((((value % 3) * 254 + (value % 2)) << 23) | (value << 16)) >>> 0;
    }),
  );

/** The same by sorting. */
function counted(...parts: readonly Uint32Array[]): (readonly [number, number])[] {
  const counts = new Map<number, number>();
  for (const word of parts.flatMap((part) => [...part])) {
    if (((word >>> 23) & 255) === 255) continue;
    counts.set(word >>> 16, (counts.get(word >>> 16) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

function listed(counts: CellCounts, ...range: [from: number, to: number] | []): [number, number][] {
  const { cells, counts: values } = counts.list(...range);
  return Array.from(cells, (cell, i) => [cell, values[i]!]);
}

it("lists the cells of some pages, of few values and of many", () => {
  const page = fc.integer({ min: 0, max: 512 });
  fc.assert(
    fc.property(words, page, page, (values, one, other) => {
      const counts = new CellCounts(7);
      counts.addWords(values, 0, values.length);
      const [low, high] = [Math.min(one, other) << 7, Math.max(one, other) << 7];
      const wanted = counted(values).filter(([cell]) => cell >= low && cell < high);
      expect(listed(counts, low, high)).toEqual(wanted);
      expect(counts.first(low, high)).toBe(wanted[0]?.[0]);
    }),
  );
});

it("keeps a list of up to 2,048 values, and pages of more, without showing which", () => {
  for (const size of [2047, 2048, 2049]) {
    const values = Uint32Array.from({ length: size }, (_, i) => (i % 3) << 16);
    const [whole, single, added] = [new CellCounts(7), new CellCounts(7), new CellCounts(7)];
    whole.addWords(values, 0, size);
    for (const word of values) single.addWord(word);
    for (const [cell, count] of counted(values)) added.add(cell, count);
    for (const counts of [whole, single, added]) expect(listed(counts)).toEqual(counted(values));
  }
});

it("notes what lies beyond a threshold, and nothing for what is no threshold", () => {
  const counts = new CellCounts(7);
  expect([counts.countBeyond(0.5), counts.countBeyond(0.4)]).toEqual([0, undefined]);
  const bits = new Uint32Array(Float32Array.of(0.5, 0.5001, -0.5001, -0.5001, 0.51).buffer);
  counts.addWords(bits, 0, bits.length);
  // 0.51 is in another cell than 0.5.
  expect([counts.countBeyond(0.5), counts.countBeyond(-0.5)]).toEqual([1, 2]);
  expect(counts.beyond?.reduce((sum, count) => sum + count, 0)).toBe(3);
});

it("has not noted what lies beyond where one of its parts has not", () => {
  const [noted, other] = [new CellCounts(7), new CellCounts(7)];
  noted.addWord(new Uint32Array(Float32Array.of(0.5001).buffer)[0]!);
  other.beyond = undefined;
  other.merge(noted);
  noted.merge(other);
  for (const counts of [noted, other])
    expect([counts.beyond, counts.countBeyond(0.5)]).toEqual([undefined, undefined]);
  expect(listed(noted).map(([, count]) => count)).toEqual([2]);
});

it("counts the same as a list and as pages, added in pieces, merged either way", () => {
  fc.assert(
    fc.property(words, words, fc.nat(3000), (a, b, cut) => {
      const counts = new CellCounts(7);
      const middle = Math.min(cut, a.length);
      const added = counts.addWords(a, 0, middle) + counts.addWords(a, middle, a.length);
      expect(listed(counts)).toEqual(counted(a));
      expect(added).toBe(counted(a).reduce((sum, [, count]) => sum + count, 0));
      const other = new CellCounts(7);
      for (const [cell, count] of counted(b)) other.add(cell, count);
      const reverse = new CellCounts(7);
      reverse.merge(other);
      reverse.merge(counts);
      counts.merge(other);
      expect(listed(counts)).toEqual(counted(a, b));
      expect(listed(reverse)).toEqual(counted(a, b));
      const half = 256 << 7;
      const ends = [...listed(counts, 0, half), ...listed(counts, half, 2 * half)];
      expect(ends).toEqual(counted(a, b));
    }),
  );
});

it("adds the cells of a page at once as one by one, to few values and to many", () => {
  const cell = fc.integer({ min: 3 * 128, max: 4 * 128 - 1 });
  const cells = fc
    .array(fc.tuple(cell, fc.integer({ min: 1, max: 60 })), { maxLength: 30 })
    .map((pairs) => pairs.sort(([a], [b]) => a - b));
  fc.assert(
    fc.property(words, cells, (values, added) => {
      const [atOnce, each] = [new CellCounts(7), new CellCounts(7)];
      for (const counts of [atOnce, each]) counts.addWords(values, 0, values.length);
      for (const [at, count] of added) each.add(at, count);
      const [at, counts] = [0, 1].map((i) => Float64Array.from(added, (pair) => pair[i]!)) as [
        Float64Array,
        Float64Array,
      ];
      const half = Math.floor(added.length / 2);
      const total = atOnce.addListed(at, counts, 0, half) + atOnce.addListed(at, counts, half, added.length);
      expect(total).toBe(added.reduce((sum, [, count]) => sum + count, 0));
      expect(listed(atOnce)).toEqual(listed(each));
    }),
  );
});

it("counts more values than are listed when nothing was there before", () => {
  const counts = new CellCounts(7);
  const [cells, times] = [Uint32Array.of(384, 385, 400), Uint32Array.of(1500, 1500, 1500)];
  expect(counts.addListed(cells, times, 0, 3)).toBe(4500);
  expect(listed(counts)).toEqual([
    [384, 1500],
    [385, 1500],
    [400, 1500],
  ]);
});
