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
 * One token. Texts are the `repr` that Python prints of them. `actor` is the trainer's policy. Fields with a question
 * mark are there only where they apply.
 */
export interface DivergenceRecord {
  /** Training step; null where it is not known. */
  readonly iteration: number | null;
  /** Place among the tokens of the iteration, 0 the furthest apart. */
  readonly rank: number;
  /** Row of the sequence in its batch, counted from 0. */
  readonly batch_idx: number;
  /** Response token, counted from 0. */
  readonly position: number;
  /** `sequence_length` − 1 − `position`. */
  readonly position_from_end: number;
  /** Columns of the padded batch; the sequence's own tokens where the source is not padded. */
  readonly sequence_length: number;
  /** Vocabulary id; null where the source has none. */
  readonly token_id: number | null;
  /** The token as Python's repr writes it; null without a tokenizer. */
  readonly token_text: string | null;
  /** The decoded token as it is; null without a tokenizer, and where it cannot be decoded. */
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
  /** Which policy is sure of what the other rejects; null where neither is. */
  readonly flip_type: FlipType | null;
  /** Whether the response is right; null where that is not known. */
  readonly is_correct: boolean | null;
  /** Reward of the sequence; null where it is not known. */
  readonly total_score: number | null;
  /** Position that the trainer gave the model; null where it is not known. */
  readonly position_id: number | null;
  /** Instead of one id, where positions have several dimensions. */
  readonly position_ids?: readonly number[];
  /** Attention mask at the token; null where the source has none. */
  readonly attention_mask_value: number | null;
  /** Count of padding in front of the prompt; null where the source is not padded. */
  readonly num_prompt_padding_tokens: number | null;
  /** Columns of the prompt; null where the source is not padded. */
  readonly prompt_length_with_padding: number | null;
  /** Count of the prompt's tokens that are not padding; null where it is not known. */
  readonly prompt_length_without_padding: number | null;
  /** Whether the token's text alone tokenizes to this token again. */
  readonly reencodes_to_same_id: boolean | null;
  /** What the text tokenizes to, where that is another token or several. */
  readonly reencoded_ids?: readonly number[];
  /** The id at the same place of `input_ids`; null where the source has none. */
  readonly input_ids_token_id: number | null;
  /** Whether `responses` and `input_ids` have the same id here; null where one is missing. */
  readonly tokens_match: boolean | null;
  /** In words, where they have not. */
  readonly WARNING?: string;
  /** Text of that other id, where they have not. */
  readonly input_ids_token_text?: string;
  /** Text of the tokens around it, as repr; null without a tokenizer. */
  readonly context_text: string | null;
  /** Positions `[start, end)` that `context_text` covers. */
  readonly context_start_pos: number;
  /** Behind the last position that `context_text` covers. */
  readonly context_end_pos: number;
  /** Text of the prompt, as repr; null without a tokenizer. */
  readonly prompt_text: string | null;
  /** Count of the prompt's tokens; null where it is not known. */
  readonly prompt_num_tokens: number | null;
  /** Text of the response, as repr, cut at the option's length; null without a tokenizer. */
  readonly full_response: string | null;
  /** Tokens with mask 1. */
  readonly response_num_tokens: number;
  /** Why a text could not be made, where one could not. */
  readonly decode_error?: string;
  /** Entropy of the rollout policy here, nats; null where it is not known. */
  readonly rollout_entropy: number | null;
  /** Entropy of the trainer policy here, nats; null where it is not known. */
  readonly actor_entropy: number | null;
  /** The rollout policy's most probable tokens; null where they are not known. */
  readonly rollout_top5: readonly TokenAlternative[] | null;
  /** The trainer policy's most probable tokens; null where they are not known. */
  readonly actor_top5: readonly TokenAlternative[] | null;
  /** Advantage of the token; null where it is not known. */
  readonly advantage: number | null;
  /** Of this token; the sequence's is `total_score`. */
  readonly reward: number | null;
  /** `s12.r0.q41.t880`; null for a batch in memory. */
  readonly handle: string | null;
  /** The file that it was read from; null for a batch in memory. */
  readonly file: string | null;
  /**
   * Of all the iteration's responses whose correctness is known, logged or not: how many there are, the share of correct
   * ones, and the share of response tokens (mask 1) that are in correct ones. Absent where no correctness is known, and
   * in a padded batch in memory.
   */
  readonly iteration_responses?: number;
  /** Share of correct responses, a fraction. */
  readonly iteration_accuracy?: number;
  /** Share of response tokens in correct responses, a fraction. */
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

/** What `logratio divergence` prints with `--json`: the tokens of each step that differ most. */
export interface DivergenceReport {
  /** Changes where a field changes its meaning or goes. */
  readonly schemaVersion: typeof DIVERGENCE_SCHEMA_VERSION;
  /** Of what this is the result. */
  readonly kind: "divergence";
  /** Name of the run. */
  readonly run: string;
  /** How the log was made. */
  readonly settings: DivergenceSettings;
  /** Counts over all steps. */
  readonly metrics: DivergenceMetrics;
  /** Each step with its largest |Δp|, also where nothing of it is logged. */
  readonly per_step: readonly DivergenceStep[];
  /** Null where they were written to files instead. */
  readonly records: readonly DivergenceRecord[] | readonly LeanDivergenceRecord[] | null;
  /** The files that records were appended to. */
  readonly outputs: readonly DivergenceOutput[];
  /** What reading noticed, and what was left out. */
  readonly findings: readonly Finding[];
  /** The files that were read. */
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
