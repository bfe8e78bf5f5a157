/**
 * The result of `logratio digits`: what `--json` prints. Names are snake_case; log quantities are in nats, shares and
 * probabilities are fractions of 1; null is "not known". A digit is a token of one digit with mask 1 and a finite
 * rollout log-prob, unless a field says otherwise. Formulas: `docs/digits.md`.
 *
 * @module
 */
import type { Finding } from "../core/schema/index.ts";
import type { SourceSummary } from "./report.ts";

export const DIGITS_SCHEMA_VERSION = 1;

/** What `logratio digits` prints with `--json`: how sure policies are of digits. */
export interface DigitsReport {
  /** Version of this format; increased when a field changes its meaning or is removed. */
  readonly schemaVersion: typeof DIGITS_SCHEMA_VERSION;
  /** The kind of result. */
  readonly kind: "digits";
  /** Name of the run. */
  readonly run: string;
  /** Which tokens count as digits. */
  readonly vocabulary: DigitVocabularySummary;
  /** Whose digits they are: the rollout policy's, unless the input has only the trainer's log-probs. */
  readonly policy: "rollout" | "trainer";
  /** Over all digits of the run. */
  readonly metrics: DigitsMetrics;
  /** Both policies on the same digits, compared with other tokens; null if there is only one policy's log-probs. */
  readonly comparison: DigitsComparison | null;
  /** The same by training step. */
  readonly per_step: readonly (DigitFigures & { readonly step: number | null })[];
  /** By power of ten within the number, 0 for units, -1 for tenths; ascending. */
  readonly per_place: readonly (DigitFigures & { readonly place: number })[];
  /** By the sampled digit. */
  readonly per_digit: readonly (DigitFigures & { readonly digit: number })[];
  /** Digits of sequences judged right; null if there are none. */
  readonly right_sequences: DigitFigures | null;
  /** The same for sequences judged wrong. */
  readonly wrong_sequences: DigitFigures | null;
  /** The documented rewards, as if applied to each sequence with digits at a base of 1; null if there are none. */
  readonly rewards: DigitRewards | null;
  /** Losses of the digit distributions against the sampled digit, for each policy with top-k alternatives. */
  readonly distributions: readonly DigitDistribution[];
  /** Answers against ground truth; null without it. */
  readonly truth: DigitTruth | null;
  /** The digits that the rollout policy was least sure of. */
  readonly least_sure: readonly DigitExample[];
  /** The digits on which the policies are furthest apart. */
  readonly widest_gaps: readonly DigitExample[];
  /** The first sequences of the run, as many as requested; null if none were. */
  readonly per_sequence: readonly DigitSequence[] | null;
  /** Figures that are null or empty, and why; one line each. */
  readonly absent: readonly string[];
  /** Findings from reading, including what was left out. */
  readonly findings: readonly Finding[];
  /** The files that were read. */
  readonly sources: readonly SourceSummary[];
}

/**
 * One sequence's digits under the names of number-token loss (`ntl_info`). Its lists have an element per digit; log-probs
 * in nats.
 */
export interface DigitSequence {
  readonly handle: string;
  readonly file: string;
  /** Indices into the response. */
  readonly digit_positions: readonly number[];
  /** The sampled digits, 0 to 9: despite the name that trainers use, they are not the truth. */
  readonly digit_ground_truth: readonly number[];
  readonly digit_log_probs_selected: readonly number[];
  /** The same under the trainer policy; null if not known for all of them. */
  readonly trainer_log_probs_selected: readonly number[] | null;
  readonly total_digits: number;
  readonly avg_digit_log_prob: number | null;
  readonly ntl_loss: number | null;
  /** Ground truth as given (`--truth`), the number that the response gives as its answer, and whether it is right. */
  readonly truth: string | null;
  readonly answer: string | null;
  readonly answer_right: boolean | null;
  /** The sequence's own reward; null if not known: the next two then assume a reward of 1. */
  readonly reward: number | null;
  /** reward · (0.5 + 0.5 · exp(avg)), and reward · 1.1 if avg is above -0.5; the reward itself without digits. */
  readonly confidence_reward: number;
  readonly bonus_reward: number;
}

export interface DigitVocabularySummary {
  /** Directory of the tokenizer; null without one. */
  readonly tokenizer: string | null;
  /** Whether digits were found by token text, because the input names tokens by text instead of id. */
  readonly token_texts: boolean;
  /** Ids of single digits, by digit. */
  readonly bare: readonly (readonly number[])[];
  readonly spaced: readonly (readonly number[])[];
  readonly multi_digit_entries: number;
  /** Digits in the longest entry. */
  readonly longest_entry: number;
}

/** Sums of a set of digits. Averages are null without digits. */
export interface DigitFigures {
  readonly digits: number;
  /** Mean log-prob of the sampled digits under the rollout policy. */
  readonly avg_digit_log_prob: number | null;
  /** The proxy: `-avg_digit_log_prob`. */
  readonly ntl_loss: number | null;
  /** The same under the trainer policy; null if not known for all of them. */
  readonly trainer_avg_digit_log_prob: number | null;
  readonly trainer_ntl_loss: number | null;
  /** Mean of |Δ|, Δ = trainer − rollout. */
  readonly delta_abs_mean: number | null;
}

export interface DigitsMetrics extends DigitFigures {
  readonly sequences: number;
  readonly sequences_with_digits: number;
  /** Tokens with mask 1. */
  readonly tokens: number;
  /** Same as `digits`. */
  readonly total_digits: number;
  /** Tokens of several digits: part of numbers, not of the digit figures. */
  readonly multi_digit_tokens: number;
  readonly multi_digit_avg_log_prob: number | null;
  readonly numbers: number;
  /** Mean over the numbers of the sum of their tokens' log-probs. */
  readonly number_avg_log_prob: number | null;
  /** Digit tokens without a finite log-prob, left out. */
  readonly digits_without_log_prob: number;
  readonly method: string;
}

/** Over tokens with finite log-probs on both sides. Δ = trainer − rollout. */
export interface DigitGap {
  readonly tokens: number;
  readonly delta_mean: number | null;
  readonly delta_abs_mean: number | null;
  readonly delta_abs_max: number | null;
  /** KL(rollout ‖ trainer) as mean of exp Δ − 1 − Δ. */
  readonly k3: number | null;
  /** Mean and largest |p_trainer − p_rollout|. */
  readonly prob_diff_mean: number | null;
  readonly prob_diff_max: number | null;
}

export interface DigitsComparison {
  readonly digits: DigitGap;
  /** The tokens with mask 1 that are not digits. */
  readonly others: DigitGap;
}

export interface DigitRewards {
  readonly sequences: number;
  /** Mean of 0.5 + 0.5·exp(average log-prob of the sequence's digits). */
  readonly confidence_mean: number;
  /** Share of sequences whose average is above -0.5: they get the bonus. */
  readonly bonus_share: number;
}

/** A mean, and its bounds if some digits are outside the top k. `estimate` assumes that those have no mass. */
export interface Bounded {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** The `policy` of recorded distributions over the ten digits alone. */
export const RECORDED_DISTRIBUTIONS = "recorded distributions";

export interface DigitDistribution {
  readonly policy: string;
  readonly k: number;
  /** The digit to compare with. */
  readonly against: "sampled" | "truth";
  /** Digit positions with alternatives, and those where nothing is missing: their losses are exact. */
  readonly positions: number;
  readonly complete: number;
  /** Positions where no digit is known at all; not in the figures. */
  readonly unknown: number;
  /** Mean and largest probability outside what is known. */
  readonly unaccounted_mean: number;
  readonly unaccounted_max: number;
  /** Mean probability of the ten digits together. */
  readonly digit_mass: Bounded;
  /** Renormalized over the ten digits, as in the reference implementation. */
  readonly expected_digit: Bounded;
  readonly ntl_mse: Bounded;
  readonly ntl_wasserstein: Bounded;
  readonly ntl_mae: Bounded;
  /** Share of positions whose likeliest digit is the one judged against. */
  readonly digit_accuracy: Bounded;
  /** Without renormalization: mass on other tokens counts as digit 0 in the expectation and as no distance. */
  readonly raw_expected_digit: Bounded;
  readonly raw_ntl_mse: Bounded;
  readonly raw_ntl_wasserstein: Bounded;
  readonly raw_ntl_mae: Bounded;
}

export interface ConfidenceFigures {
  readonly digits: number;
  readonly avg_log_prob: number | null;
  /** Mean probability. */
  readonly confidence: number | null;
  readonly trainer_avg_log_prob: number | null;
}

/** Answers against ground truth. An answer is the number after the last `####` or `\boxed`, else the last number. */
export interface DigitTruth {
  readonly source: string;
  readonly sequences_with_truth: number;
  /** Answers without a comparison: the truth is not a single number; the response has no number. */
  readonly truth_not_a_number: number;
  readonly without_answer: number;
  /** Answers compared, and those whose value is right. */
  readonly numbers: number;
  readonly numbers_right: number;
  readonly number_accuracy: number | null;
  /** |answer − truth| over compared answers. */
  readonly distance_mean: number | null;
  readonly distance_median: number | null;
  /** The same over wrong answers. */
  readonly distance_wrong_median: number | null;
  /** Places compared from the decimal point out, over the longer of both numbers; a missing place is 0. */
  readonly digits: number;
  readonly digits_right: number;
  readonly digit_accuracy: number | null;
  /** Mean |digit − true digit|. */
  readonly digit_distance_mean: number | null;
  /** Sampled single-digit tokens of answers, by whether they are right. */
  readonly right_digits: ConfidenceFigures;
  readonly wrong_digits: ConfidenceFigures;
  readonly per_place: readonly (ConfidenceFigures & {
    readonly place: number;
    readonly right: number;
    readonly accuracy: number;
  })[];
  readonly calibration: readonly CalibrationBin[];
  /** Σ over bins of share of digits · |confidence − accuracy|; null without digits. */
  readonly calibration_error: number | null;
  /** Answers that disagree with `correctness` of the data, if known. */
  readonly disagrees_with_correctness: number;
  /** Losses of the digit distributions against the true digit. */
  readonly distributions: readonly DigitDistribution[];
  /** Wrong answers that the rollout policy was most sure of. */
  readonly surest_wrong: readonly WrongAnswer[];
}

/** Digits whose probability p is in `(from, to]` (the first bin includes 0). */
export interface CalibrationBin {
  readonly from: number;
  readonly to: number;
  readonly digits: number;
  readonly confidence: number;
  readonly accuracy: number;
}

export interface DigitExample {
  readonly handle: string;
  readonly digit: number;
  readonly place: number;
  /** The number that it is part of. */
  readonly number: string;
  readonly rollout_logprob: number;
  readonly trainer_logprob: number | null;
}

export interface WrongAnswer {
  readonly handle: string;
  readonly answer: string;
  readonly truth: string;
  /** Sum over its tokens. */
  readonly rollout_logprob: number;
}
