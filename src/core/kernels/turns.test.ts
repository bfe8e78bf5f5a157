import fc from "fast-check";
import { expect, it } from "vitest";
import { findTurns } from "../../kernels.ts";

it("finds each run of mask 1, counted from 0, ends excluded", () => {
  expect(findTurns(Uint8Array.of(0, 1, 1, 0, 0, 1))).toEqual([
    { turn: 0, from: 1, to: 3 },
    { turn: 1, from: 5, to: 6 },
  ]);
  expect(findTurns(new Uint8Array(4))).toEqual([]);
  expect(findTurns(Uint8Array.of(2, 2))).toEqual([{ turn: 0, from: 0, to: 2 }]);
});

it("covers the tokens with mask 1 and no others", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1 })), (bits) => {
      const seen = bits.map(() => 0);
      let last = -1;
      for (const { from, to } of findTurns(Uint8Array.from(bits))) {
        expect(from).toBeGreaterThan(last);
        seen.fill(1, from, to);
        last = to;
      }
      expect(seen).toEqual(bits);
    }),
  );
});
