import fc from "fast-check";
import { expect, it } from "vitest";
import { selectRanks } from "./select-ranks.ts";

// Few values, so that many are equal, and lists long enough to be divided.
const values = fc.oneof(
  fc.array(fc.oneof(fc.double(), fc.constantFrom(0, 1, Number.NaN, Number.POSITIVE_INFINITY)), {
    maxLength: 30,
  }),
  fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 70, maxLength: 600, size: "max" }),
  fc.array(fc.double({ noNaN: true }), { minLength: 70, maxLength: 600, size: "max" }),
  fc
    .integer({ min: 70, max: 2000 })
    .map((count) => Array.from({ length: count }, (_, i) => Math.min(i, count - i))),
);

it("puts at its ranks what sorting puts there, and larger values behind", () => {
  fc.assert(
    fc.property(values, fc.array(fc.nat(), { maxLength: 6 }), (drawn, places) => {
      const ranks = drawn.length === 0 ? [] : places.map((place) => place % drawn.length);
      const sorted = Float64Array.from(drawn).sort();
      const found = Float64Array.from(drawn);
      selectRanks(found, ranks);
      // 0 and -0 are equal: which stands first does not matter.
      for (const rank of ranks) expect(found[rank]! + 0).toBe(sorted[rank]! + 0);
      for (const rank of ranks) {
        const behind = found.subarray(rank + 1);
        expect(behind.some((value) => value < found[rank]!)).toBe(false);
      }
      expect(found.sort().map((value) => value + 0)).toEqual(sorted.map((value) => value + 0));
    }),
    { numRuns: 300 },
  );
});
