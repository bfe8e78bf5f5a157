import { describe, expect, it } from "vitest";
import type { TokenDecoder } from "../../tokens/index.ts";
import { TOKEN_FLAGS } from "../../wire/index.ts";
import { TokenTexts } from "./token-texts.ts";

/** Tokens of bytes, as byte-level vocabularies have them. */
function byteDecoder(tokens: readonly (string | readonly number[])[]): TokenDecoder {
  const bytes = tokens.map((token) =>
    typeof token === "string" ? new TextEncoder().encode(token) : Uint8Array.from(token),
  );
  const decode = (ids: readonly number[]): string =>
    new TextDecoder().decode(Uint8Array.from(ids.flatMap((id) => [...(bytes[id] ?? [])])));
  return {
    name: "bytes",
    vocabularySize: tokens.length,
    specialIds: new Set([1]),
    decode,
    textOf: (id) => decode([id]),
    encode: (text) => (text === "a" ? [0] : []),
    encodeStart: () => [],
    eosId: undefined,
  };
}

const { special, continuation, digit, unknown } = TOKEN_FLAGS;
const EURO = new TextEncoder().encode("€");
const TEXTS = new TokenTexts(
  byteDecoder([
    "a",
    "<eos>",
    "42",
    [32, EURO[0]!],
    [EURO[1]!],
    [EURO[2]!, 115],
    "\uFFFD",
    "\n\n",
    " Wort",
    "?!",
  ]),
);

describe("texts of tokens", () => {
  it("show a character at the first token that has bytes of it", () => {
    const pieces = TEXTS.pieces([0, 3, 4, 5, 2]);
    expect(pieces.map(({ text }) => text)).toEqual(["a", " €", "", "s", "42"]);
    expect(pieces.map(({ flags }) => flags)).toEqual([0, 0, continuation, continuation, digit]);
  });

  it("leave alone what never becomes a character", () => {
    expect(TEXTS.pieces([3, 0]).map(({ text }) => text)).toEqual([" \uFFFD", "a"]);
    expect(TEXTS.pieces([6, 0]).map(({ text }) => text)).toEqual(["\uFFFD", "a"]);
  });

  it("are the ids where there is no token, or no tokenizer", () => {
    expect(TEXTS.pieces([99, -1, 1]).map(({ text, flags }) => [text, flags])).toEqual([
      ["#99", unknown],
      ["#?", unknown],
      ["<eos>", special],
    ]);
    const { texts, offsets, flags } = new TokenTexts(undefined).spell([7, 12]);
    expect(Buffer.from(texts).toString()).toBe("#7#12");
    expect([[...offsets], [...flags]]).toEqual([
      [0, 2, 5],
      [unknown, unknown],
    ]);
  });

  it("keep the space that a decoder drops at the start of a text", () => {
    const plain = byteDecoder(["a", "", " b"]);
    const texts = new TokenTexts({ ...plain, decode: (ids) => plain.decode(ids).trimStart() });
    expect(texts.textOf(2)).toBe(" b");
  });

  it("tell classes", () => {
    expect([2, 8, 9, 7, 1, 99].map((id) => TEXTS.classOf(id))).toEqual([
      "number",
      "word",
      "punctuation",
      "space",
      "special",
      "other",
    ]);
  });
});
