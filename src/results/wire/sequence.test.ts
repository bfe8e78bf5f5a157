import { expect, it } from "vitest";
import { TOKEN_FLAGS } from "../../core/base/token-class.ts";
import { decodeSequence, encodeSequence, type UnspelledSequence } from "./sequence.ts";

const numbers: UnspelledSequence = {
  meta: { handle: "s1.q2", promptLength: 1 } as UnspelledSequence["meta"],
  ids: Int32Array.of(7, 151_643, -1),
  mask: Uint8Array.of(1, 0),
  turnMarks: Uint16Array.of(1, 0),
  rollout: Float32Array.of(-0.5, Number.NaN),
  trainer: Float32Array.of(-0.25, -1),
  policies: { "old actor": Float32Array.of(-1, -2) },
};
const words = {
  textOffsets: Uint32Array.of(0, 2, 4, 5),
  texts: new TextEncoder().encode("to be"),
  flags: Uint8Array.of(0, 0, TOKEN_FLAGS.special),
};

it("brings a sequence across, with the words that its tokens are spelled as", () => {
  const sequence = { ...numbers, ...words };
  expect(decodeSequence(encodeSequence(sequence))).toEqual(sequence);
});

it("spells ids where it was sent none: each sequence in memory of its own", () => {
  const [first, second] = [numbers, { ...numbers, ids: Int32Array.of(1, 2, 3) }].map((sequence) =>
    decodeSequence(encodeSequence(sequence)),
  );
  expect(Buffer.from(first!.texts).toString()).toBe("#7#151643#?");
  expect(Buffer.from(second!.texts).toString()).toBe("#1#2#3");
  expect(Buffer.from(first!.texts).toString()).toBe("#7#151643#?");
  expect(first).toEqual({
    ...numbers,
    textOffsets: Uint32Array.of(0, 2, 9, 11),
    texts: new TextEncoder().encode("#7#151643#?"),
    flags: new Uint8Array(3).fill(TOKEN_FLAGS.unknown),
  });
});
