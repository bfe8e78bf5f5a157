import fc from "fast-check";
import { expect, it } from "vitest";
import { KeyPlaces } from "./key-places.ts";

const keys = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.integer({ min: 0, max: 500 }).map((i) => i * 2 ** 40),
);

it("counts keys in the order in which they first come", () => {
  fc.assert(
    fc.property(fc.array(keys, { maxLength: 400 }), (list) => {
      const places = new KeyPlaces();
      const known = new Map<number, number>();
      for (const key of list) {
        const expected = known.get(key) ?? known.size;
        known.set(key, expected);
        expect(places.place(key)).toBe(expected);
        expect(places.size).toBe(known.size);
      }
    }),
  );
});
