import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { isLogratioError } from "../../core/base/errors.ts";
import { openTokenizer } from "../../input/tokens/open-tokenizer.ts";
import { findDigitTokens, getDigitIds, takeDigitTokens } from "./vocabulary.ts";

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../test/fixtures/tokenizer/${name}`, import.meta.url));

describe("findDigitTokens", () => {
  test("finds bare and spaced digits and longer entries of a byte-level tokenizer", async () => {
    const tokenizer = await openTokenizer(fixture("byte-level"));
    const vocabulary = findDigitTokens(tokenizer);
    for (let digit = 0; digit < 10; digit++)
      expect(vocabulary.bare[digit]).toEqual(tokenizer.encode(String(digit)));
    expect(vocabulary.spaced.map((ids) => ids.map(tokenizer.textOf))).toEqual([
      [],
      [" 1"],
      [],
      [],
      [],
      [],
      [],
      [" 7"],
      [],
      [],
    ]);
    expect([...vocabulary.tokens.values()].filter(({ digits }) => digits.length > 1)).toEqual([
      { digits: "12", spaced: false },
      { digits: "123", spaced: false },
      { digits: "123", spaced: true },
      { digits: "45", spaced: false },
    ]);
    expect([vocabulary.multiDigitEntries, vocabulary.longestEntry]).toEqual([4, 3]);
  });

  test("sees the space of a SentencePiece token, which its decoder drops at the start, and digits written as bytes", async () => {
    const tokenizer = await openTokenizer(fixture("byte-fallback"));
    const vocabulary = findDigitTokens(tokenizer);
    expect(vocabulary.bare.map((ids) => ids.length)).toEqual(Array.from({ length: 10 }, () => 2));
    expect(vocabulary.spaced.map((ids) => ids.length)).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    const [spacedOne] = vocabulary.spaced[1]!;
    expect(tokenizer.textOf(spacedOne!)).toBe("1");
    expect(getDigitIds(vocabulary, vocabulary.tokens.get(spacedOne!)!)).toBe(vocabulary.spaced);
  });

  test("a vocabulary without digits is refused", () => {
    const decoder = { vocabularySize: 3, decode: (ids: readonly number[]) => ids.map(() => "x").join("") };
    expect(() => findDigitTokens(decoder)).toThrow(
      /none of the 3 entries of the vocabulary is a single digit/,
    );
  });
});

describe("digitTokensOf", () => {
  test("takes ten different ids", () => {
    const vocabulary = takeDigitTokens([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(vocabulary.tokens.get(9)).toEqual({ digits: "0", spaced: false });
    expect(vocabulary.bare[0]).toEqual([9]);
  });

  test.each([
    [[1, 2, 3]],
    [[0, 1, 2, 3, 4, 5, 6, 7, 8, 8]],
    [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9.5]],
    [[-1, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ])("refuses %j", (ids) => {
    let error: unknown;
    try {
      takeDigitTokens(ids);
    } catch (thrown) {
      error = thrown;
    }
    expect(isLogratioError(error, "SchemaError")).toBe(true);
  });
});
