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

/** What `logratio digits` prints with `--json`: how sure policies are about digits. */
export interface DigitsReport {
  /** Changes where a field changes its meaning or goes. */
  readonly schemaVersion: typeof DIGITS_SCHEMA_VERSION;
  /** Of what this is the result. */
  readonly kind: "digits";
  /** Name of the run. */
  readonly run: string;
  /** Which tokens count as digits. */
  readonly vocabulary: DigitVocabularySummary;
  /** Whose digits they are: the rollout policy's, unless the input has the trainer's log-probs only. */
  readonly policy: "rollout" | "trainer";
  /** Over all digits of the run. */
  readonly metrics: DigitsMetrics;
  /** Both policies on the same digits, beside the other tokens; null where only one policy's log-probs are there. */
  readonly comparison: DigitsComparison | null;
  /** The same by training step. */
  readonly per_step: readonly (DigitFigures & { readonly step: number | null })[];
  /** By power of ten within the number, 0 for units, -1 for tenths; ascending. */
  readonly per_place: readonly (DigitFigures & { readonly place: number })[];
  /** By the sampled digit. */
  readonly per_digit: readonly (DigitFigures & { readonly digit: number })[];
  /** Digits of sequences that were judged right and wrong; null each where there are none. */
  readonly right_sequences: DigitFigures | null;
  /** The same of sequences that were judged wrong. */
  readonly wrong_sequences: DigitFigures | null;
  /** Rewards of the documents, were they applied to each sequence with digits at a base of 1; null without any. */
  readonly rewards: DigitRewards | null;
  /** Losses of the digit distributions against the sampled digit, for each policy with top-k alternatives. */
  readonly distributions: readonly DigitDistribution[];
  /** Answers against ground truth; null without it. */
  readonly truth: DigitTruth | null;
  /** The digits that the rollout policy was least sure of. */
  readonly least_sure: readonly DigitExample[];
  /** The digits on which the policies are furthest apart. */
  readonly widest_gaps: readonly DigitExample[];
  /** The first sequences of the run, as many as were asked for; null where none were. */
  readonly per_sequence: readonly DigitSequence[] | null;
  /** Figures that are null or empty, and why; one line each. */
  readonly absent: readonly string[];
  /** What reading noticed, and what was left out. */
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
  /** The sampled digits, 0 to 9: trainers call them so, and they are not the truth. */
  readonly digit_ground_truth: readonly number[];
  readonly digit_log_probs_selected: readonly number[];
  /** The same under the trainer policy; null where it is not known for all of them. */
  readonly trainer_log_probs_selected: readonly number[] | null;
  readonly total_digits: number;
  readonly avg_digit_log_prob: number | null;
  readonly ntl_loss: number | null;
  /** Ground truth as given (`--truth`), the number that the response answers with, and whether it is right. */
  readonly truth: string | null;
  readonly answer: string | null;
  readonly answer_right: boolean | null;
  /** The sequence's own reward; null where it is not known: the next two are then of a reward of 1. */
  readonly reward: number | null;
  /** reward · (0.5 + 0.5 · exp(avg)), and reward · 1.1 where avg is above -0.5; the reward itself without digits. */
  readonly confidence_reward: number;
  readonly bonus_reward: number;
}

export interface DigitVocabularySummary {
  /** Directory of the tokenizer; null without one. */
  readonly tokenizer: string | null;
  /** Whether digits were found by the texts of tokens, where the input names tokens by text and not by id. */
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
  /** The same under the trainer policy; null where it is not known for all of them. */
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
  /** As `digits`. */
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

/** Of tokens with finite log-probs on both sides. Δ = trainer − rollout. */
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

/** A mean, and what it can be where some digits are outside the top k. `estimate` takes those as having no mass. */
export interface Bounded {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** The `policy` of distributions that the files have over the ten digits alone. */
export const RECORDED_DISTRIBUTIONS = "recorded distributions";

export interface DigitDistribution {
  readonly policy: string;
  readonly k: number;
  /** Against which digit. */
  readonly against: "sampled" | "truth";
  /** Digit positions with alternatives, and those where nothing is open: their losses are exact. */
  readonly positions: number;
  readonly complete: number;
  /** Positions where no digit is known at all; not in the figures. */
  readonly unknown: number;
  /** Mean and largest probability outside of what is known. */
  readonly unaccounted_mean: number;
  readonly unaccounted_max: number;
  /** Mean probability of the ten digits together. */
  readonly digit_mass: Bounded;
  /** Renormalised over the ten digits, as the reference has it. */
  readonly expected_digit: Bounded;
  readonly ntl_mse: Bounded;
  readonly ntl_wasserstein: Bounded;
  readonly ntl_mae: Bounded;
  /** Share of positions whose likeliest digit is the one judged against. */
  readonly digit_accuracy: Bounded;
  /** Without renormalisation: mass on other tokens counts as digit 0 in the expectation and as no distance. */
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

/** Answers against ground truth. An answer is the number behind the last `####` or `\boxed`, else the last number. */
export interface DigitTruth {
  readonly source: string;
  readonly sequences_with_truth: number;
  /** Of these: truth that is not a single number, no number in the response. */
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
  /** Places compared from the decimal point out, over the longer of both numbers; a place that is not there is 0. */
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
  /** Answers that disagree with `correctness` of the data, where that is known. */
  readonly disagrees_with_correctness: number;
  /** Losses of the digit distributions against the true digit. */
  readonly distributions: readonly DigitDistribution[];
  /** Wrong answers that the rollout policy was most sure of. */
  readonly surest_wrong: readonly WrongAnswer[];
}

/** Digits whose probability p is in `(from, to]` (the first bin holds 0 too). */
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
