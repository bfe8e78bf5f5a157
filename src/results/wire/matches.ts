/**
 * The sequences that match a filter on tokens, and their matching tokens.
 *
 * @module
 */
import { decodeArrays, encodeArrays } from "./arrays.ts";

/** One entry per matching sequence, in the order of the table of sequences. */
export interface TokenMatches {
  /** Indices into the table. */
  readonly sequences: Uint32Array;
  /** Matching response tokens: how many, the first, and the one with the largest |Δ| (the first without any Δ). */
  readonly counts: Uint32Array;
  readonly first: Uint32Array;
  readonly worst: Uint32Array;
  /** Number of tokens in all sequences. */
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
