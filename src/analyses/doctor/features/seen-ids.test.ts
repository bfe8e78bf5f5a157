import fc from "fast-check";
import { expect, it } from "vitest";
import { SeenIds } from "./seen-ids.ts";

it("knows ids since it was cleared", () => {
  const ids = fc.oneof(
    fc.integer({ min: -2, max: 40 }),
    fc.integer({ min: 1020, max: 2100 }),
    fc.integer({ min: 2 ** 22, max: 2 ** 22 + 2 }),
  );
  fc.assert(
    fc.property(fc.array(fc.array(ids), { maxLength: 6 }), (rows) => {
      const seen = new SeenIds();
      for (const row of rows) {
        seen.clear();
        const known = new Set<number>();
        for (const id of row) {
          expect(seen.has(id)).toBe(known.has(id));
          known.add(id);
          seen.addAll([id]);
          expect(seen.has(id)).toBe(true);
        }
      }
    }),
  );
});

it("tells ids apart at the edge of what it holds in an array", () => {
  const edge = [2 ** 22 - 2, 2 ** 22 - 1, 2 ** 22, 2 ** 22 + 1];
  for (const id of edge) {
    const seen = new SeenIds();
    seen.add(id);
    expect(edge.filter((other) => seen.has(other))).toEqual([id]);
    seen.clear();
    expect(seen.has(id)).toBe(false);
  }
});
