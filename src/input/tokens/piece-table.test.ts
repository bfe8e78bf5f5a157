import fc from "fast-check";
import { expect, it } from "vitest";
import { PieceTable } from "./piece-table.ts";

// Lengths around the twelve bytes that lie beside a token's flags.
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 16 }),
  fc.uint8Array({ minLength: 11, maxLength: 13 }),
  fc.uint8Array({ minLength: 200, maxLength: 300 }),
);

it("writes of any slots their bytes one after the other, and their flags", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ bytes, flags: fc.nat(255), isPartial: fc.boolean() }), { minLength: 1 }),
      fc.array(fc.array(fc.nat(1e6), { maxLength: 40 }), { maxLength: 4 }),
      (pieces, texts) => {
        const table = new PieceTable();
        for (const piece of pieces) table.add(piece);
        expect(table.hasPartial).toBe(pieces.some(({ isPartial }) => isPartial));
        for (const drawn of texts) {
          const slots = Uint32Array.from(drawn, (at) => at % pieces.length);
          const wanted = Array.from(slots, (slot) => pieces[slot]!);
          const ends = wanted.map(
            (
              (sum) => (piece) =>
                (sum += piece.bytes.length)
            )(0),
          );
          expect(table.write(slots)).toEqual({
            offsets: Uint32Array.from([0, ...ends]),
            texts: Uint8Array.from(wanted.flatMap((piece) => [...piece.bytes])),
            flags: Uint8Array.from(wanted, ({ flags }) => flags),
          });
        }
      },
    ),
  );
});

it("holds a whole vocabulary", () => {
  const table = new PieceTable();
  for (let id = 0; id < 5000; id++)
    table.add({ bytes: Buffer.from(`#${id}`), flags: id & 7, isPartial: false });
  const { texts, offsets, flags } = table.write(Uint32Array.from({ length: 5000 }, (_, id) => id));
  const text = Buffer.from(texts).toString();
  for (let id = 0; id < 5000; id++) {
    expect(text.slice(offsets[id], offsets[id + 1])).toBe(`#${id}`);
    expect(flags[id]).toBe(id & 7);
  }
});
