/**
 * Which tokens are digits.
 *
 * @module
 */
import { SchemaError } from "../../core/base/index.ts";

/** What is needed of a tokenizer: `openTokenizer` returns one, or use a table of texts. */
export interface DigitDecoder {
  /** One more than the largest id. */
  readonly vocabularySize: number;
  /** The text of these ids joined. */
  decode(ids: readonly number[]): string;
}

/** A token of ASCII digits only, with or without one leading space. */
export interface NumberToken {
  /** As written: `"007"` keeps its zeros. */
  readonly digits: string;
  /** Whether a space precedes the digits. */
  readonly spaced: boolean;
}

/** The ids that stand for each digit 0 to 9; several if a vocabulary also has the digit as a byte. */
export type DigitIds = readonly (readonly number[])[];

/** The tokens of a vocabulary that are numbers. */
export interface DigitVocabulary {
  /** Entries that are numbers, by id. */
  readonly tokens: ReadonlyMap<number, NumberToken>;
  /** Ids of `"0"` to `"9"`. */
  readonly bare: DigitIds;
  /** Ids of `" 0"` to `" 9"`. */
  readonly spaced: DigitIds;
  /** Entries of more than one digit, such as `"123"`. */
  readonly multiDigitEntries: number;
  /** Digits of the longest one. */
  readonly longestEntry: number;
  /** Text of any single token; undefined if only ids were given. */
  readonly textOf?: (id: number) => string;
}

const NUMBER = /^( ?)([0-9]+)$/;

/** Undefined for a text that is not a number. */
export function parseNumberToken(text: string): NumberToken | undefined {
  const match = NUMBER.exec(text);
  return match === null ? undefined : { digits: match[2]!, spaced: match[1] !== "" };
}

/**
 * Finds the tokens of a vocabulary that are digits, by looking at every entry.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { findDigitTokens } from "logratio/digits";
 *
 * const entries = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", " a", "12"];
 * const decoder = { vocabularySize: 12, decode: (ids: readonly number[]) => ids.map((id) => entries[id]).join("") };
 * const vocabulary = findDigitTokens(decoder);
 * assert.deepEqual(vocabulary.bare[7], [7]);
 * assert.equal(vocabulary.multiDigitEntries, 1);
 * ```
 *
 * @param decoder as returned by `openTokenizer` of `logratio/node`, or a table of texts
 * @returns token ids of every digit, bare and with a leading space
 * @throws SchemaError if no entry is a single digit
 */
export function findDigitTokens(decoder: DigitDecoder): DigitVocabulary {
  const tokens = new Map<number, NumberToken>();
  for (let id = 0; id < decoder.vocabularySize; id++) {
    const token = parseNumberToken(decoder.decode([id]));
    if (token) tokens.set(id, token);
  }
  const anchor = [...tokens].find(([, { digits }]) => digits.length === 1)?.[0];
  if (anchor === undefined) {
    throw new SchemaError(
      `none of the ${decoder.vocabularySize} entries of the vocabulary is a single digit`,
      {
        likely: "the tokenizer belongs to another model, or writes numbers in another script",
        hint: "give the ids of 0 to 9: --digit-ids 15,16,17,18,19,20,21,22,23,24",
      },
    );
  }
  // SentencePiece decoders drop a leading space: only after another token does it show whether a token brings one.
  const before = decoder.decode([anchor]);
  for (const [id, { digits }] of tokens) {
    tokens.set(id, { digits, spaced: decoder.decode([anchor, id]) === `${before} ${digits}` });
  }
  return { ...buildVocabulary(tokens), textOf: (id) => decoder.decode([id]) };
}

/**
 * A vocabulary of ten ids, those of `"0"` to `"9"`, for use without a tokenizer.
 *
 * @throws SchemaError if the ten ids are not distinct
 */
export function takeDigitTokens(ids: readonly number[]): DigitVocabulary {
  const unusable = ids.find((id) => !Number.isInteger(id) || id < 0);
  if (ids.length !== 10 || new Set(ids).size !== 10 || unusable !== undefined) {
    throw new SchemaError(
      `digit ids must be ten different token ids, those of 0 to 9 in order: ${ids.length} were given (${ids.join(", ")})`,
    );
  }
  return buildVocabulary(new Map(ids.map((id, digit) => [id, { digits: String(digit), spaced: false }])));
}

function buildVocabulary(tokens: ReadonlyMap<number, NumberToken>): DigitVocabulary {
  const bare: number[][] = Array.from({ length: 10 }, () => []);
  const spacedIds: number[][] = Array.from({ length: 10 }, () => []);
  let multiDigitEntries = 0;
  let longestEntry = 0;
  for (const [id, { digits, spaced }] of tokens) {
    longestEntry = Math.max(longestEntry, digits.length);
    if (digits.length > 1) multiDigitEntries++;
    else (spaced ? spacedIds : bare)[Number(digits)]!.push(id);
  }
  return { tokens, bare, spaced: spacedIds, multiDigitEntries, longestEntry };
}

/** The ten digits that a single-digit token is compared with, in its own form: bare or with a space. */
export function getDigitIds(vocabulary: DigitVocabulary, token: NumberToken): DigitIds {
  return token.spaced ? vocabulary.spaced : vocabulary.bare;
}
