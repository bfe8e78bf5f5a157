/**
 * One pair of sequences, token by token: the response tokens that both begin with are the same, after them each goes its
 * own way.
 *
 * @module
 */
import {
  deltaDifferences,
  sharedTokens,
  TOKEN_FLAGS,
  type WireSequence,
} from "../../../../src/wire/index.ts";

export interface PairModel {
  readonly a: WireSequence;
  readonly b: WireSequence;
  /** Response tokens of the longer one. */
  readonly length: number;
  readonly shared: number;
  /** `[tokens]` each: Δ, NaN where the mask is 0 or a log-prob missing. */
  readonly deltasA: Float64Array;
  readonly deltasB: Float64Array;
  /** `[shared]`: Δb − Δa, NaN likewise. */
  readonly differences: Float64Array;
  /** Where |Δb − Δa| is largest, in the order of the text. */
  readonly stops: readonly number[];
  /** The largest of all; undefined where there is no difference. */
  readonly largest: number | undefined;
}

/** Places that `.` and `,` go to. */
const MOST_STOPS = 20;
/** Tokens that are in the page at a time. */
export const WINDOW = 400;

export function pairModel(a: WireSequence, b: WireSequence): PairModel {
  const shared = sharedTokens(a, b);
  const differences = deltaDifferences(a, b, shared);
  const ranked = [...differences.keys()]
    .filter((at) => Math.abs(differences[at]!) > 0)
    .sort((one, other) => Math.abs(differences[other]!) - Math.abs(differences[one]!));
  return {
    a,
    b,
    length: Math.max(a.mask.length, b.mask.length),
    shared,
    deltasA: deltasOf(a),
    deltasB: deltasOf(b),
    differences,
    stops: ranked.slice(0, MOST_STOPS).sort((one, other) => one - other),
    largest: ranked[0],
  };
}

function deltasOf({ trainer, rollout, mask }: WireSequence): Float64Array {
  return Float64Array.from(mask, (bit, at) => (bit === 0 ? Number.NaN : trainer[at]! - rollout[at]!));
}

/** The tokens shown with `token` in sight: `[from, to)`. */
export function windowAt({ length }: Pick<PairModel, "length">, token: number): readonly [number, number] {
  const inside = Math.max(0, Math.min(token, length - 1));
  const from = inside - (inside % WINDOW);
  return [from, Math.min(length, from + WINDOW)];
}

/** The next stop after a token, or the one before it. */
export function nextStop(stops: readonly number[], token: number, direction: 1 | -1): number | undefined {
  return direction === 1 ? stops.find((at) => at > token) : stops.findLast((at) => at < token);
}

export interface TokenText {
  /** Undefined past the end. */
  readonly text: string | undefined;
  /** The line ends after it. */
  readonly breaks: boolean;
  readonly isSpecial: boolean;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
/** Controls, marks of direction and what else is not to be seen by itself. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;
const MOST_CHARACTERS = 200;

/** A response token as a cell shows it: spaces kept, line ends and what cannot be seen written out. */
export function tokenText({ meta, flags, textOffsets, texts, mask }: WireSequence, token: number): TokenText {
  if (token >= mask.length) return { text: undefined, breaks: false, isSpecial: false };
  const at = meta.promptLength + token;
  const raw = utf8.decode(texts.subarray(textOffsets[at], textOffsets[at + 1]));
  const isSpecial = (flags[at]! & TOKEN_FLAGS.special) !== 0;
  // What completes a character that the token before shows has no text of its own.
  return { text: raw === "" ? "·" : visible(raw), breaks: raw.endsWith("\n"), isSpecial };
}

export function visible(text: string): string {
  const cut =
    text.length > MOST_CHARACTERS ? `${Array.from(text).slice(0, MOST_CHARACTERS).join("")}…` : text;
  return cut
    .replaceAll("\n", "⏎")
    .replaceAll("\t", "→")
    .replace(
      UNSEEN,
      (character) => `‹U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}›`,
    );
}

/** The text of a prompt as it is. */
export function promptText({ meta, textOffsets, texts }: WireSequence): string {
  return utf8.decode(texts.subarray(0, textOffsets[meta.promptLength]));
}
