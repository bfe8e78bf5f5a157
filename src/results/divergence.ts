/**
 * The high-divergence token log: its records, one per line of the JSONL form, and the result of `logratio divergence`.
 * Names are those of the Python implementation that the log comes from; probabilities are fractions of 1, log-probs
 * in nats; null is "not known". docs/divergence.md describes every field.
 *
 * @module
 */
import type { Finding } from "../core/schema/index.ts";
import type { SourceSummary } from "./report.ts";

export const DIVERGENCE_SCHEMA_VERSION = 1;

/**
 * Which policy is sure of the token that the other would not choose. `rollout_confident_actor_rejects`: rollout > 0.9
 * and actor < 0.1; `actor_confident_rollout_rejects`: the reverse; `large_disagreement`: otherwise more than 0.5 apart.
 */
export type FlipType =
  | "rollout_confident_actor_rejects"
  | "actor_confident_rollout_rejects"
  | "large_disagreement";

/** One of the most probable tokens of a policy at a position. */
export interface TokenAlternative {
  readonly token_id: number;
  /** Python's repr of the decoded text; null without a tokenizer. */
  readonly token_text: string | null;
  readonly prob: number;
  readonly logprob: number;
}

/**
 * One token. Texts are the `repr` that Python prints of them. `actor` is the trainer's policy. Fields with a question
 * mark are there only where they apply.
 */
export interface DivergenceRecord {
  readonly iteration: number | null;
  /** Place among the tokens of the iteration, 0 the furthest apart. */
  readonly rank: number;
  readonly batch_idx: number;
  readonly position: number;
  readonly position_from_end: number;
  /** Columns of the padded batch; the sequence's own tokens where the source is not padded. */
  readonly sequence_length: number;
  readonly token_id: number | null;
  readonly token_text: string | null;
  /** |rollout_prob − actor_prob|. */
  readonly prob_divergence: number;
  readonly rollout_prob: number;
  readonly actor_prob: number;
  /** May be -Infinity, which is null in JSON. */
  readonly rollout_logprob: number;
  readonly actor_logprob: number;
  /** |rollout_logprob − actor_logprob|. */
  readonly logprob_diff: number;
  readonly flip_type: FlipType | null;
  readonly is_correct: boolean | null;
  readonly total_score: number | null;
  readonly position_id: number | null;
  /** Instead of one id, where positions have several dimensions. */
  readonly position_ids?: readonly number[];
  readonly attention_mask_value: number | null;
  readonly num_prompt_padding_tokens: number | null;
  readonly prompt_length_with_padding: number | null;
  readonly prompt_length_without_padding: number | null;
  /** Whether the token's text alone tokenizes to this token again. */
  readonly reencodes_to_same_id: boolean | null;
  readonly reencoded_ids?: readonly number[];
  readonly input_ids_token_id: number | null;
  readonly tokens_match: boolean | null;
  readonly WARNING?: string;
  readonly input_ids_token_text?: string;
  readonly context_text: string | null;
  /** Positions `[start, end)` that `context_text` covers. */
  readonly context_start_pos: number;
  readonly context_end_pos: number;
  readonly prompt_text: string | null;
  readonly prompt_num_tokens: number | null;
  readonly full_response: string | null;
  /** Tokens with mask 1. */
  readonly response_num_tokens: number;
  readonly decode_error?: string;
  readonly rollout_entropy: number | null;
  readonly actor_entropy: number | null;
  readonly rollout_top5: readonly TokenAlternative[] | null;
  readonly actor_top5: readonly TokenAlternative[] | null;
  readonly advantage: number | null;
  /** Of this token; the sequence's is `total_score`. */
  readonly reward: number | null;
  /** `s12.r0.q41.t880`; null for a batch in memory. */
  readonly handle: string | null;
  readonly file: string | null;
  /**
   * Of all the iteration's responses whose correctness is known, logged or not: how many there are, the share of correct
   * ones, and the share of response tokens (mask 1) that are in correct ones. Absent where no correctness is known, and
   * in a padded batch in memory.
   */
  readonly iteration_responses?: number;
  readonly iteration_accuracy?: number;
  readonly iteration_correct_tokens?: number;
  /** The same token with the same log-probs has the same one, wherever it was read from; null for batches in memory. */
  readonly record_id: string | null;
}

/** A record of `--lean`: a field that is absent is unknown, or not one of those that lean records keep. */
export type LeanDivergenceRecord = Pick<
  DivergenceRecord,
  "rank" | "batch_idx" | "position" | "prob_divergence"
> &
  Partial<DivergenceRecord>;

export interface DivergenceReport {
  readonly schemaVersion: typeof DIVERGENCE_SCHEMA_VERSION;
  readonly kind: "divergence";
  readonly run: string;
  readonly settings: DivergenceSettings;
  readonly metrics: DivergenceMetrics;
  readonly per_step: readonly DivergenceStep[];
  /** Null where they were written to files instead. */
  readonly records: readonly DivergenceRecord[] | readonly LeanDivergenceRecord[] | null;
  /** The files that records were appended to. */
  readonly outputs: readonly DivergenceOutput[];
  readonly findings: readonly Finding[];
  readonly sources: readonly Omit<SourceSummary, "sequences">[];
}

export interface DivergenceSettings {
  readonly threshold: number;
  readonly top_k: number;
  readonly context: number;
  readonly every: number;
  /** Whether records hold the guide's fields alone. */
  readonly lean: boolean;
  /** The directory that it was opened from. */
  readonly tokenizer: string | null;
}

export interface DivergenceMetrics {
  readonly sequences: number;
  /** With mask 1 and both probabilities known. */
  readonly tokens: number;
  readonly steps: number;
  /** Steps whose largest |Δp| reached the threshold. */
  readonly steps_logged: number;
  readonly records: number;
  readonly prob_diff_max: number | null;
  readonly rollout_confident_actor_rejects: number;
  readonly actor_confident_rollout_rejects: number;
  readonly large_disagreement: number;
  readonly records_correct: number;
  readonly records_incorrect: number;
  /** Tokens that could not be decoded, that tokenize to something else, that differ between responses and input ids. */
  readonly decode_errors: number;
  readonly reencode_mismatches: number;
  readonly token_mismatches: number;
}

export interface DivergenceStep {
  readonly step: number | null;
  readonly iteration: number | null;
  readonly sequences: number;
  readonly tokens: number;
  readonly prob_diff_max: number | null;
  readonly logged: boolean;
  readonly records: number;
  /** What verl logs, under its keys: `training/*` and `per_round/*`. */
  readonly metrics: Readonly<Record<string, number>>;
}

export interface DivergenceOutput {
  readonly file: string;
  readonly lines: number;
  /** An earlier writer had left its last line without an end; it was given one. */
  /** Records that were in the log already and were not written again. */
  readonly repeated: number;
  readonly completed_torn_line: boolean;
}
