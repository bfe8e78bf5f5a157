/**
 * The tokens and sequences that are furthest off: part of `report --json`.
 *
 * @module
 */

/** A token that is far off, by its handle; log-probs and Δ in nats. */
export interface WorstToken {
  readonly handle: string;
  readonly step: number | null;
  readonly rank: number | null;
  readonly sequence: number;
  /** Index in the response. */
  readonly token: number;
  readonly turn: number;
  readonly token_id: number | null;
  readonly delta: number;
  readonly rollout_logprob: number;
  readonly trainer_logprob: number;
  /** Absent where its batch has none; NaN (null in JSON) where it is missing. */
  readonly advantage?: number;
  readonly file: string;
}

/** A sequence that is far off, by its handle. */
export interface WorstSequence {
  readonly handle: string;
  readonly step: number | null;
  readonly tokens: number;
  readonly delta_abs_mean: number;
  readonly delta_sum: number;
  readonly delta_abs_max: number;
  readonly reward: number | null;
  readonly file: string;
}
