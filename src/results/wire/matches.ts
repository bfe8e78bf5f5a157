/**
 * The sequences that a filter on tokens leaves, and their matching tokens.
 *
 * @module
 */
import { decodeArrays, encodeArrays } from "./arrays.ts";

/** One entry per sequence that matches, in the order of the table of sequences. */
export interface TokenMatches {
  /** Places in the table. */
  readonly sequences: Uint32Array;
  /** Matching response tokens: how many, the first, and the one with the largest |Δ| (the first without any Δ). */
  readonly counts: Uint32Array;
  readonly first: Uint32Array;
  readonly worst: Uint32Array;
  /** Of all sequences. */
  readonly tokens: number;
}

export function encodeMatches({ tokens, ...arrays }: TokenMatches): Uint8Array {
  return encodeArrays({ tokens }, arrays);
}

/** @throws FormatError */
export function decodeMatches(bytes: Uint8Array): TokenMatches {
  const { meta, arrays } = decodeArrays<Pick<TokenMatches, "tokens">>(bytes);
  return { ...(arrays as unknown as Omit<TokenMatches, "tokens">), tokens: meta.tokens };
}
