/**
 * The fields of a high-divergence log that figures need, whichever program wrote it.
 *
 * @module
 */
import type { ColumnKind } from "./row-writer.ts";

type FieldKind = Exclude<ColumnKind, "BIGINT">;

export const FIELDS: Readonly<Record<string, FieldKind>> = {
  iteration: "DOUBLE",
  rank: "DOUBLE",
  batch_idx: "DOUBLE",
  position: "DOUBLE",
  position_from_end: "DOUBLE",
  sequence_length: "DOUBLE",
  token_id: "DOUBLE",
  token_text: "VARCHAR",
  prob_divergence: "DOUBLE",
  rollout_prob: "DOUBLE",
  actor_prob: "DOUBLE",
  rollout_logprob: "DOUBLE",
  actor_logprob: "DOUBLE",
  logprob_diff: "DOUBLE",
  flip_type: "VARCHAR",
  is_correct: "BOOLEAN",
  total_score: "DOUBLE",
  context_text: "VARCHAR",
  iteration_accuracy: "DOUBLE",
  iteration_correct_tokens: "DOUBLE",
  /** Not in the log: see `record-keys.ts`. */
  prompt_key: "DOUBLE",
  response_key: "DOUBLE",
};

/** Fields that are probabilities or shares. A record's own `prob_divergence` is checked as it is read. */
export const SHARES: ReadonlySet<string> = new Set(["rollout_prob", "actor_prob", "iteration_accuracy"]);
/** Rounding to float32 can put a share slightly above 1. */
export const LARGEST_SHARE = 1 + 1e-6;

/**
 * Columns that the analysis adds: the token's text without quotes, and whether the guide's pattern takes it for digits.
 */
export const ADDED_COLUMNS = ["text", "is_digit"] as const;

/** Why an object is not a record of a high-divergence log; the one field that every figure needs is the divergence. */
export function refuseRecord(record: Readonly<Record<string, unknown>>): string | undefined {
  const value = record.prob_divergence;
  if (typeof value === "number" && value >= 0 && value <= LARGEST_SHARE) return undefined;
  if (value === undefined) return "no prob_divergence";
  if (value === null) return "prob_divergence is missing or NaN";
  if (typeof value !== "number" || !Number.isFinite(value)) return "prob_divergence is not a finite number";
  return `prob_divergence is ${value}, and a difference of two probabilities is from 0 to 1`;
}
