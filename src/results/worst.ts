/**
 * The tokens and sequences with the largest mismatch: part of `report --json`.
 *
 * @module
 */

/** A token that is far off, by its handle; log-probs and Δ in nats. */
export interface WorstToken {
  /** `s12.r3.q41.t880`. */
  readonly handle: string;
  /** Training step; null if the source names none. */
  readonly step: number | null;
  /** Data-parallel rank; null if the source names none. */
  readonly rank: number | null;
  /** Row in its batch or file, counted from 0. */
  readonly sequence: number;
  /** Index in the response. */
  readonly token: number;
  /** Turn, counted from 0. */
  readonly turn: number;
  /** Vocabulary id; null if the source has none. */
  readonly token_id: number | null;
  /** Δ = trainer − rollout, nats. */
  readonly delta: number;
  /** Log-prob under the rollout policy, nats. */
  readonly rollout_logprob: number;
  /** Log-prob under the trainer policy, nats. */
  readonly trainer_logprob: number;
  /** Absent if its batch has none; NaN (null in JSON) if it is missing. */
  readonly advantage?: number;
  /** The file that it was read from. */
  readonly file: string;
}

/** A sequence that is far off, by its handle. */
export interface WorstSequence {
  /** `s12.r3.q41`. */
  readonly handle: string;
  /** Training step; null where the source names none. */
  readonly step: number | null;
  /** Count of tokens with mask 1 and two finite log-probs. */
  readonly tokens: number;
  /** Mean |Δ| of its tokens, nats. */
  readonly delta_abs_mean: number;
  /** ΣΔ over its tokens, nats: the log of the product of ratios. */
  readonly delta_sum: number;
  /** Largest |Δ| of its tokens, nats. */
  readonly delta_abs_max: number;
  /** Reward, in the task's own unit; null where it is not known. */
  readonly reward: number | null;
  /** The file that it was read from. */
  readonly file: string;
}
