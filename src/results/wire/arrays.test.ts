import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeArrays, encodeArrays, type WireArray } from "./arrays.ts";

const array: fc.Arbitrary<WireArray> = fc.oneof(
  fc.float32Array({ maxLength: 9 }),
  fc.float64Array({ maxLength: 9 }),
  fc.int32Array({ maxLength: 9 }),
  fc.uint32Array({ maxLength: 9 }),
  fc.uint16Array({ maxLength: 9 }),
  fc.uint8Array({ maxLength: 9 }),
  fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes)),
);
const arrays = fc.dictionary(fc.string({ minLength: 1 }), array, { maxKeys: 8 });
const meta = fc.record({ name: fc.string({ unit: "binary" }), at: fc.constantFrom(null, 7) });

it("reads what it has written, and writes the same bytes wherever it writes them", () => {
  fc.assert(
    fc.property(meta, arrays, fc.nat(20), (own, named, before) => {
      const alone = encodeArrays(own, named);
      const among = encodeArrays(own, named, (bytes) => {
        const memory = new Uint8Array(before + bytes + 5).fill(255);
        return memory.subarray(before, before + bytes);
      });
      expect(Buffer.from(among).equals(alone)).toBe(true);
      for (const bytes of [alone, among]) {
        const { meta: read, arrays: found } = decodeArrays(bytes);
        expect(read).toEqual(own);
        expect(Object.keys(found).sort()).toEqual(Object.keys(named).sort());
        for (const [name, values] of Object.entries(named)) expect([...found[name]!]).toEqual([...values]);
      }
    }),
  );
});
