/**
 * What is known of a token before anything is decoded; all that a record is made of. Owns its lists, so that the batch
 * it came from can go.
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

/** An id of a policy's most probable tokens with its log-prob, most probable first. */
export type IdAlternatives = readonly { readonly id: number; readonly logprob: number }[];

export interface TokenFacts {
  readonly known: Pick<DivergenceRecord, Known>;
  /** Null where the source has no ids. */
  readonly contextIds: Int32Array | null;
  /** Those with mask 1. */
  readonly responseIds: Int32Array | null;
  /** Without padding. */
  readonly promptIds: Int32Array | null;
  /** Text that the source itself has; used where ids cannot be decoded. */
  readonly promptText: string | undefined;
  readonly responseText: string | undefined;
  readonly rolloutTop: IdAlternatives | null;
  readonly actorTop: IdAlternatives | null;
}

/** Tokens to log of a batch, by row and index in the row. */
export type FactsOf = (row: number, token: number) => TokenFacts;

/** How many alternatives of each policy are logged. */
const ALTERNATIVES = 5;

/** A value of an optional column; null where the column or the value is not there. */
export function valueAt(column: ArrayLike<number> | undefined, index: number): number | null {
  const value = column?.[index];
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** Ids `[from, to)` as a list of their own; null without ids, or where one of them is missing (-1). */
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

/** The ids `[from, to)` with mask 1, the mask being as long as the range. */
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

/** The first few of `k` alternatives that start at `from`; null where there are none. */
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
