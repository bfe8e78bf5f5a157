/**
 * What is known about a token before anything is decoded; all that a record needs. Owns its lists, so that its batch
 * can be freed.
 *
 * @module
 */
import type { DivergenceRecord } from "../../results/divergence.ts";

type Known =
  | "batch_idx"
  | "position"
  | "sequence_length"
  | "token_id"
  | "rollout_logprob"
  | "actor_logprob"
  | "is_correct"
  | "total_score"
  | "position_id"
  | "position_ids"
  | "attention_mask_value"
  | "num_prompt_padding_tokens"
  | "prompt_length_with_padding"
  | "prompt_length_without_padding"
  | "input_ids_token_id"
  | "context_start_pos"
  | "context_end_pos"
  | "prompt_num_tokens"
  | "response_num_tokens"
  | "rollout_entropy"
  | "actor_entropy"
  | "advantage"
  | "reward"
  | "handle"
  | "file";

/** One of a policy's most probable tokens with its log-prob, most probable first. */
export type IdAlternatives = readonly { readonly id: number; readonly logprob: number }[];

export interface TokenFacts {
  readonly known: Pick<DivergenceRecord, Known>;
  /** Null if the source has no ids. */
  readonly contextIds: Int32Array | null;
  /** Ids with mask 1. */
  readonly responseIds: Int32Array | null;
  /** Ids without padding. */
  readonly promptIds: Int32Array | null;
  /** The source's own text; used if ids cannot be decoded. */
  readonly promptText: string | undefined;
  readonly responseText: string | undefined;
  readonly rolloutTop: IdAlternatives | null;
  readonly actorTop: IdAlternatives | null;
}

/** Returns facts for a token of a batch, by row and index within the row. */
export type FactsOf = (row: number, token: number) => TokenFacts;

/** How many alternatives are logged per policy. */
const ALTERNATIVES = 5;

/** A value of an optional column; null if the column or the value is missing. */
export function valueAt(column: ArrayLike<number> | undefined, index: number): number | null {
  const value = column?.[index];
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** A copy of the ids `[from, to)`; null without ids, or if one of them is missing (-1). */
export function idsBetween(ids: ArrayLike<number> | undefined, from: number, to: number): Int32Array | null {
  if (ids === undefined) return null;
  const copy = new Int32Array(to - from);
  for (let i = from; i < to; i++) {
    const id = ids[i]!;
    if (id < 0) return null;
    copy[i - from] = id;
  }
  return copy;
}

/** The ids `[from, to)` with mask 1; the mask is as long as the range. */
export function maskedIds(
  ids: ArrayLike<number> | undefined,
  mask: Uint8Array,
  from: number,
  to: number,
): Int32Array | null {
  const all = idsBetween(ids, from, to);
  if (all === null) return null;
  let count = 0;
  for (let i = 0; i < all.length; i++) if (mask[i] !== 0) all[count++] = all[i]!;
  return all.slice(0, count);
}

export function countOnes(mask: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < mask.length; i++) if (mask[i] !== 0) count++;
  return count;
}

/** The first few of the `k` alternatives that start at `from`; null if there are none. */
export function alternativesAt(
  ids: ArrayLike<number> | undefined,
  logprobs: ArrayLike<number> | undefined,
  from: number,
  k: number,
): IdAlternatives | null {
  if (ids === undefined || logprobs === undefined) return null;
  const found: { id: number; logprob: number }[] = [];
  for (let i = from; i < from + Math.min(k, ALTERNATIVES); i++) {
    const id = ids[i];
    const logprob = logprobs[i];
    if (id !== undefined && id >= 0 && logprob !== undefined && !Number.isNaN(logprob))
      found.push({ id, logprob });
  }
  return found.length > 0 ? found : null;
}
