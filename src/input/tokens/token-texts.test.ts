import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TOKEN_FLAGS } from "../../core/base/token-class.ts";
import { textBetween } from "../../results/wire/sequence-text.ts";
import { openTokenizer } from "./open-tokenizer.ts";
import type { TokenDecoder } from "./token-decoder.ts";
import { TokenTexts } from "./token-texts.ts";

/** Tokens that are bytes, as in byte-level vocabularies. */
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
    bytesOf: (id) => bytes[id],
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

  it("are called by their bytes where they are no text by themselves", () => {
    expect([3, 4, 6, 0, 99].map((id) => TEXTS.nameOf(id))).toEqual(["‹20 e2›", "‹82›", "\ufffd", "a", "#99"]);
  });

  it("have of a character only the bytes that are their own", () => {
    const { texts, offsets, flags } = TEXTS.spell([0, 3, 4, 5, 2]);
    const own = Array.from(flags, (_, at) =>
      Buffer.from(texts.subarray(offsets[at], offsets[at + 1])).toString("hex"),
    );
    expect(own).toEqual(["61", "20e2", "82", "ac73", "3432"]);
    expect(TEXTS.pieces([0, 3, 4, 5, 2]).map(({ bytes }) => Buffer.from(bytes).toString("hex"))).toEqual(own);
    expect([...flags]).toEqual([0, 0, continuation, continuation, digit]);
    const spelled = { textOffsets: offsets, texts, flags };
    expect([0, 1, 2, 3, 4].map((at) => textBetween(spelled, at, at + 1))).toEqual(["a", " €", "", "s", "42"]);
    expect(textBetween(spelled, 2, 5)).toBe("s42");
    expect([...TEXTS.spell([4, 3]).texts]).toEqual([EURO[1], 32, EURO[0]]);
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

const path = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const text = fc.string({
  unit: fc.constantFrom(
    ...[..."ab7 \n<|>é日本語東京😀🏳🌈👩"],
    "e\u0301",
    "👩🏽",
    "🏳\u{fe0f}\u{200d}🌈",
    "\ufffd",
  ),
  maxLength: 24,
});

describe.each([
  ["byte-level", path("test/fixtures/tokenizer/byte-level")],
  ["byte-fallback", path("test/fixtures/tokenizer/byte-fallback")],
  ["the demo's", path("examples/demo/tokenizer")],
])("a %s vocabulary", (_, directory) => {
  it("spells the bytes of every text, token by token", async () => {
    const decoder = await openTokenizer(directory);
    const texts = new TokenTexts(decoder);
    const spread = fc.sample(text, 200).filter((each) => {
      const { flags } = texts.spell(decoder.encode(each));
      return flags.some((bits) => (bits & continuation) !== 0);
    });
    expect(spread.length).toBeGreaterThan(20);
    fc.assert(
      fc.property(text, (written) => {
        const ids = decoder.encode(`a${written}`);
        const { texts: bytes, offsets, flags } = texts.spell(ids);
        // Vocabularies of words begin a text with a space.
        expect(Buffer.from(bytes).toString().trimStart()).toBe(decoder.decode(ids));
        const pieces = texts.pieces(ids);
        const spelled = { textOffsets: offsets, texts: bytes, flags };
        expect(ids.map((_, at) => textBetween(spelled, at, at + 1))).toEqual(
          pieces.map((piece) => piece.text),
        );
        for (const [at, id] of ids.entries()) {
          const own = bytes.subarray(offsets[at], offsets[at + 1]);
          expect([...pieces[at]!.bytes]).toEqual([...own]);
          const known = decoder.bytesOf(id);
          if (known !== undefined) expect([...own]).toEqual([...known]);
        }
      }),
    );
  });

  it("gives bytes in any order, that are no text, as they are", async () => {
    const decoder = await openTokenizer(directory);
    const texts = new TokenTexts(decoder);
    const ofBytes = Array.from({ length: decoder.vocabularySize }, (_, id) => id).filter(
      (id) => decoder.bytesOf(id) !== undefined,
    );
    expect(ofBytes.length).toBeGreaterThanOrEqual(256);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ofBytes), { maxLength: 12 }), (ids) => {
        const meant = Buffer.concat(ids.map((id) => decoder.bytesOf(id)!));
        const { texts: bytes, offsets, flags } = texts.spell(ids);
        expect(Buffer.from(bytes)).toEqual(meant);
        expect(flags).toHaveLength(ids.length);
        expect(offsets.at(-1)).toBe(meant.length);
      }),
    );
  });
});
