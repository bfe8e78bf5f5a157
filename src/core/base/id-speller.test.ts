import fc from "fast-check";
import { expect, it } from "vitest";
import { IdSpeller } from "./id-speller.ts";
import { TOKEN_FLAGS } from "./token-class.ts";

const id = fc.oneof(
  fc.integer({ min: -1, max: 1200 }),
  fc.integer({ min: 998_000, max: 1_002_000 }),
  fc.constantFrom(10, 99, 100, 999, 1000, 10_099, 999_999_999, 1_000_000_000, 2 ** 31 - 1),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
);

it("writes ids as numbers are written, one text after the other", () => {
  const speller = new IdSpeller();
  fc.assert(
    fc.property(fc.array(id, { maxLength: 40 }), (ids) => {
      const { texts, offsets, flags } = speller.spell(Int32Array.from(ids));
      const text = Buffer.from(texts).toString();
      expect(offsets).toHaveLength(ids.length + 1);
      expect(text).toHaveLength(offsets.at(-1)!);
      expect(ids.map((_, at) => text.slice(offsets[at], offsets[at + 1]))).toEqual(
        ids.map((own) => (own < 0 ? "#?" : `#${own}`)),
      );
      expect([...flags]).toEqual(ids.map(() => TOKEN_FLAGS.unknown));
    }),
  );
});
