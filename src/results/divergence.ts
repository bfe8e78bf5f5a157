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
 * Which policy is confident in a token that the other would not choose. `rollout_confident_actor_rejects`: rollout >
 * 0.9 and actor < 0.1; `actor_confident_rollout_rejects`: the reverse; `large_disagreement`: otherwise more than 0.5
 * apart.
 */
export type FlipType =
  | "rollout_confident_actor_rejects"
  | "actor_confident_rollout_rejects"
  | "large_disagreement";

/** One of the most probable tokens of a policy at a position. */
export interface TokenAlternative {
  /** Vocabulary id. */
  readonly token_id: number;
  /** Python's repr of the decoded text; null without a tokenizer. */
  readonly token_text: string | null;
  /** Probability, a fraction. */
  readonly prob: number;
  /** Log-prob, nats. */
  readonly logprob: number;
}

/**
 * One token. Texts are Python `repr`s. `actor` is the trainer's policy. Fields with a question mark are present only if
 * they apply.
 */
export interface DivergenceRecord {
  /** Training step; null if not known. */
  readonly iteration: number | null;
  /** Rank among the tokens of the iteration; 0 is the most divergent. */
  readonly rank: number;
  /** Row of the sequence in its batch, counted from 0. */
  readonly batch_idx: number;
  /** Response token, counted from 0. */
  readonly position: number;
  /** `sequence_length` − 1 − `position`. */
  readonly position_from_end: number;
  /** Columns of the padded batch; the sequence's own tokens if the source is not padded. */
  readonly sequence_length: number;
  /** Vocabulary id; null if the source has none. */
  readonly token_id: number | null;
  /** The token as Python's repr writes it; null without a tokenizer. */
  readonly token_text: string | null;
  /** The decoded token itself; null without a tokenizer, and if it cannot be decoded. */
  readonly token_plain: string | null;
  /** |rollout_prob − actor_prob|. */
  readonly prob_divergence: number;
  /** Probability under the rollout policy, a fraction. */
  readonly rollout_prob: number;
  /** Probability under the trainer policy, a fraction. */
  readonly actor_prob: number;
  /** May be -Infinity, which is null in JSON. */
  readonly rollout_logprob: number;
  /** Log-prob under the trainer policy, nats; may be -Infinity. */
  readonly actor_logprob: number;
  /** |rollout_logprob − actor_logprob|. */
  readonly logprob_diff: number;
  /** Which policy is confident in what the other rejects; null if neither is. */
  readonly flip_type: FlipType | null;
  /** Whether the response is right; null if not known. */
  readonly is_correct: boolean | null;
  /** Reward of the sequence; null if not known. */
  readonly total_score: number | null;
  /** Position that the trainer gave the model; null if not known. */
  readonly position_id: number | null;
  /** Replaces `position_id` if positions have several dimensions. */
  readonly position_ids?: readonly number[];
  /** Attention mask at the token; null if the source has none. */
  readonly attention_mask_value: number | null;
  /** Number of padding tokens before the prompt; null if the source is not padded. */
  readonly num_prompt_padding_tokens: number | null;
  /** Columns of the prompt; null if the source is not padded. */
  readonly prompt_length_with_padding: number | null;
  /** Number of the prompt's tokens that are not padding; null if not known. */
  readonly prompt_length_without_padding: number | null;
  /** Whether the token's text alone tokenizes to this token. */
  readonly reencodes_to_same_id: boolean | null;
  /** What the text tokenizes to, if that is another token or several. */
  readonly reencoded_ids?: readonly number[];
  /** The id at the same place in `input_ids`; null if the source has none. */
  readonly input_ids_token_id: number | null;
  /** Whether `responses` and `input_ids` have the same id here; null if one is missing. */
  readonly tokens_match: boolean | null;
  /** Describes the difference, if they differ. */
  readonly WARNING?: string;
  /** Text of the other id, if they differ. */
  readonly input_ids_token_text?: string;
  /** Text of the tokens around it, as repr; null without a tokenizer. */
  readonly context_text: string | null;
  /** Positions `[start, end)` that `context_text` covers. */
  readonly context_start_pos: number;
  /** Position after the last one that `context_text` covers. */
  readonly context_end_pos: number;
  /** Text of the prompt, as repr; null without a tokenizer. */
  readonly prompt_text: string | null;
  /** Number of the prompt's tokens; null if not known. */
  readonly prompt_num_tokens: number | null;
  /** Text of the response, as repr, cut at the option's length; null without a tokenizer. */
  readonly full_response: string | null;
  /** Tokens with mask 1. */
  readonly response_num_tokens: number;
  /** Why a text could not be decoded, if so. */
  readonly decode_error?: string;
  /** Entropy of the rollout policy here, nats; null if not known. */
  readonly rollout_entropy: number | null;
  /** Entropy of the trainer policy here, nats; null if not known. */
  readonly actor_entropy: number | null;
  /** The rollout policy's most probable tokens; null if not known. */
  readonly rollout_top5: readonly TokenAlternative[] | null;
  /** The trainer policy's most probable tokens; null if not known. */
  readonly actor_top5: readonly TokenAlternative[] | null;
  /** Advantage of the token; null if not known. */
  readonly advantage: number | null;
  /** Reward of this token; the sequence's is `total_score`. */
  readonly reward: number | null;
  /** `s12.r0.q41.t880`; null for a batch in memory. */
  readonly handle: string | null;
  /** The file that it was read from; null for a batch in memory. */
  readonly file: string | null;
  /**
   * Over all the iteration's responses with known correctness, logged or not: their number, the share of correct ones,
   * and the share of response tokens (mask 1) in correct ones. Absent if no correctness is known, and in a padded batch
   * in memory.
   */
  readonly iteration_responses?: number;
  /** Share of correct responses, a fraction. */
  readonly iteration_accuracy?: number;
  /** Share of response tokens in correct responses, a fraction. */
  readonly iteration_correct_tokens?: number;
  /** Identifies a token with its log-probs, wherever it was read from; null for batches in memory. */
  readonly record_id: string | null;
}

/** A record of `--lean`: an absent field is unknown, or not kept in lean records. */
export type LeanDivergenceRecord = Pick<
  DivergenceRecord,
  "rank" | "batch_idx" | "position" | "prob_divergence"
> &
  Partial<DivergenceRecord>;

/** What `logratio divergence` prints with `--json`: the most divergent tokens of each step. */
export interface DivergenceReport {
  /** Version of this format; increased when a field changes its meaning or is removed. */
  readonly schemaVersion: typeof DIVERGENCE_SCHEMA_VERSION;
  /** The kind of result. */
  readonly kind: "divergence";
  /** Name of the run. */
  readonly run: string;
  /** How the log was made. */
  readonly settings: DivergenceSettings;
  /** Counts over all steps. */
  readonly metrics: DivergenceMetrics;
  /** Each step with its largest |Δp|, even if none of its tokens are logged. */
  readonly per_step: readonly DivergenceStep[];
  /** Null if they were written to files instead. */
  readonly records: readonly DivergenceRecord[] | readonly LeanDivergenceRecord[] | null;
  /** The files that records were appended to. */
  readonly outputs: readonly DivergenceOutput[];
  /** Findings from reading, including what was left out. */
  readonly findings: readonly Finding[];
  /** The files that were read. */
  readonly sources: readonly Omit<SourceSummary, "sequences">[];
}

export interface DivergenceSettings {
  readonly threshold: number;
  readonly top_k: number;
  readonly context: number;
  readonly every: number;
  /** Whether records have only the guide's fields. */
  readonly lean: boolean;
  /** The directory it was opened from. */
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
  /** Tokens that could not be decoded, that tokenize differently, or that differ between responses and input ids. */
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
  /** Whether an earlier writer had left its last line without an end, which was then added. */
  /** Number of records that were already in the log and were not written again. */
  readonly repeated: number;
  readonly completed_torn_line: boolean;
}
