import fc from "fast-check";
import { expect, it } from "vitest";
import { CellCounts } from "./cell-counts.ts";

const words = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 600 }).map((values) =>
  // Both signs, and with 255 an infinity.
  Uint32Array.from(values, (value) => ((((value % 3) * 254 + (value % 2)) << 23) | (value << 16)) >>> 0),
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

it("counts the same as a list and as pages, added in pieces, merged either way", () => {
  fc.assert(
    fc.property(words, words, fc.nat(600), (a, b, cut) => {
      const counts = new CellCounts(7);
      const middle = Math.min(cut, a.length);
      const added = counts.addWords(a, 0, middle) + counts.addWords(a, middle, a.length);
      expect([...counts.entries()]).toEqual(counted(a));
      expect(added).toBe(counted(a).reduce((sum, [, count]) => sum + count, 0));
      const other = new CellCounts(7);
      for (const [cell, count] of counted(b)) other.add(cell, count);
      const reverse = new CellCounts(7);
      reverse.merge(other);
      reverse.merge(counts);
      counts.merge(other);
      expect([...counts.entries()]).toEqual(counted(a, b));
      expect([...reverse.entries()]).toEqual(counted(a, b));
      const half = 256 << 7;
      const ends = [...counts.entries(2 * half, half), ...counts.entries(half, 0)];
      expect(ends).toEqual(counted(a, b).reverse());
    }),
  );
});
