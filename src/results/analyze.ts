/**
 * The result of `logratio analyze`: what `--json` prints. Names are snake_case; divergence is |p rollout − p trainer| of
 * a logged token, from 0 to 1; shares are fractions of 1; null is "not known". A high-divergence log holds the tokens
 * that passed its threshold and its top k, not all tokens: every figure is about those.
 *
 * @module
 */
import type { Finding } from "../core/schema/index.ts";

export const ANALYZE_SCHEMA_VERSION = 1;

/** What `logratio analyze --json` prints. */
export interface AnalyzeReport {
  /** Version of this shape; a change that breaks readers raises it. */
  readonly schemaVersion: typeof ANALYZE_SCHEMA_VERSION;
  /** Identifies results that are read from files. */
  readonly kind: "analyze";
  /** Name of the log: the file or directory that was given. */
  readonly log: string;
  /** The filter, as it was given. */
  readonly where: string | null;
  /** Counts and figures over all logged tokens. */
  readonly metrics: AnalyzeMetrics;
  /** The figures of tokens in correct, incorrect and ungraded responses. */
  readonly by_correctness: {
    readonly correct: DivergenceFigures;
    readonly incorrect: DivergenceFigures;
    readonly unknown: DivergenceFigures;
  };
  /** Records strictly above each threshold. */
  readonly thresholds: readonly ThresholdCount[];
  /** The most frequent token texts; equally frequent ones in order of appearance. */
  readonly common_tokens: readonly TokenCount[];
  /** The most divergent records; of equal ones the later comes first. */
  readonly most_divergent: readonly LoggedToken[];
  /** In 50 bins of equal width from the first position to the last. */
  readonly positions: Bins | null;
  /** In 30 bins of equal width, the same for all three. */
  readonly divergence_bins: CorrectnessBins | null;
  /** Ascending; records without an iteration come last, as `null`. */
  readonly per_iteration: readonly IterationFigures[];
  /** Tokens by which policy rejects them. */
  readonly flip_types: readonly FlipCount[];
  /** Figures of tokens that are digits. */
  readonly digits: LoggedDigitFigures;
  /** What the guide filters for, each as an expression for `--where`. */
  readonly selections: readonly Selection[];
  /** Compared groups of tokens, each comparison with its test. */
  readonly comparisons: readonly Comparison[];
  /** Fractions of tokens that the guide asks for. */
  readonly shares: LogShares;
  /** The guide's diagnostic scenarios, and whether each holds. */
  readonly scenarios: readonly Scenario[];
  /** Whether divergence is associated with wrong answers, with tests. */
  readonly hypothesis: HypothesisFigures;
  /** Figures that are entirely null or empty, and why; one line each. */
  readonly absent: readonly string[];
  /** Lines that could not be read, and why. */
  readonly skipped_lines: readonly SkippedLogLine[];
  /** Findings of reading, with counts and first places. */
  readonly findings: readonly Finding[];
  /** Files that were read. */
  readonly sources: readonly LogSource[];
}

/** Flat, for dashboards and gates. */
export interface AnalyzeMetrics {
  /** Records that passed the filter: all other figures are about these. */
  readonly records: number;
  /** Records in the files. */
  readonly records_read: number;
  readonly lines_skipped: number;
  readonly files: number;
  readonly iterations: number;
  /** Distinct responses (file, iteration, place in the batch); null if the log does not tell them apart. */
  readonly sequences: number | null;
  readonly divergence_mean: number | null;
  readonly divergence_max: number | null;
  readonly divergence_min: number | null;
  readonly divergence_p50: number | null;
  readonly above_09: number;
  readonly correct_count: number;
  readonly incorrect_count: number;
  readonly unknown_count: number;
  /** Share among records whose correctness is known. */
  readonly correct_share: number | null;
  readonly correct_mean: number | null;
  readonly incorrect_mean: number | null;
  readonly correct_max: number | null;
  readonly incorrect_max: number | null;
  readonly digits_count: number;
  readonly digits_correct_count: number;
  readonly digits_incorrect_count: number;
  readonly digits_correct_mean: number | null;
  readonly digits_incorrect_mean: number | null;
  /** Mean divergence of digit tokens in correct answers over that in incorrect ones. */
  readonly digits_ratio: number | null;
  /** For digit tokens, correct against incorrect answers; as in `scipy.stats.ttest_ind`. */
  readonly digits_t: number | null;
  readonly digits_t_p: number | null;
  readonly digits_welch_t: number | null;
  readonly digits_welch_p: number | null;
  readonly digits_mann_whitney_u: number | null;
  readonly digits_mann_whitney_p: number | null;
  readonly early_count: number;
  readonly confident_correct_count: number;
}

export interface DivergenceFigures {
  readonly count: number;
  /** For correct and incorrect: share of the records whose correctness is known. For unknown: share of all records. */
  readonly share: number | null;
  readonly sequences: number | null;
  readonly mean: number | null;
  /** With divisor count − 1. */
  readonly std: number | null;
  readonly p50: number | null;
  readonly min: number | null;
  readonly max: number | null;
}

export interface ThresholdCount {
  readonly threshold: number;
  readonly count: number;
  readonly share: number;
  readonly correct: number;
  readonly incorrect: number;
}

export interface TokenCount {
  /** As logged: a Python `repr()`. */
  readonly token_text: string | null;
  /** Without quotes; null if the token was not decoded. */
  readonly text: string | null;
  readonly count: number;
  readonly share: number;
  readonly mean: number;
  readonly max: number;
  readonly correct: number;
  readonly incorrect: number;
}

export interface LoggedToken {
  readonly file: string;
  /** One-based. */
  readonly line: number;
  readonly iteration: number | null;
  readonly batch_idx: number | null;
  readonly position: number | null;
  readonly token_id: number | null;
  readonly token_text: string | null;
  readonly text: string | null;
  readonly prob_divergence: number;
  readonly rollout_prob: number | null;
  readonly actor_prob: number | null;
  readonly flip_type: string | null;
  readonly is_correct: boolean | null;
  readonly context_text: string | null;
}

export interface Bins {
  /** One more than counts, ascending; a bin includes its lower edge, the last one both. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
}

export interface CorrectnessBins {
  readonly edges: readonly number[];
  readonly correct: readonly number[];
  readonly incorrect: readonly number[];
  readonly unknown: readonly number[];
}

export interface IterationFigures {
  readonly iteration: number | null;
  readonly count: number;
  readonly mean: number;
  readonly max: number;
  readonly correct_count: number;
  readonly correct_mean: number | null;
  readonly incorrect_count: number;
  readonly incorrect_mean: number | null;
}

export interface FlipCount {
  /** Null: neither policy was confident, or the log does not say. */
  readonly flip_type: string | null;
  readonly count: number;
  readonly correct: number;
  readonly incorrect: number;
  readonly unknown: number;
}

export interface LoggedDigitFigures {
  /** Records whose text, unquoted and stripped, is digits and dots only: the guide's `^[\d\.]+$`. */
  readonly count: number;
  /** Share of the records whose text is known. */
  readonly share: number | null;
  /** Records without a text, or with a placeholder for an undecoded token: it is unknown whether they are digits. */
  readonly texts_unknown: number;
  /** Records from correct answers whose text is known. */
  readonly correct_texts: number;
  /** Those that are dots alone: the guide's pattern takes them for digits. */
  readonly dots_only: number;
  readonly correct: DivergenceFigures;
  readonly incorrect: DivergenceFigures;
  readonly unknown_count: number;
  readonly ratio: number | null;
  /** Largest over smallest divergence in the log: no ratio of means can be larger. */
  readonly ratio_limit: number | null;
  readonly not_digits_mean: number | null;
  readonly mean: number | null;
}

export interface Selection {
  readonly id: "early" | "digits_correct" | "confident_correct";
  readonly title: string;
  /** For `--where` and `logratio sql`. */
  readonly where: string;
  readonly count: number;
  /** The most divergent of these tokens. */
  readonly tokens: readonly LoggedToken[];
}

export interface Sample {
  readonly label: string;
  readonly count: number;
  readonly mean: number | null;
}

export interface IntervalFigures {
  readonly low: number | null;
  readonly high: number | null;
}

/** What counts as one cluster: responses to one prompt are alike, and so are tokens of one response. */
export type ClusterKind = "prompt" | "response";

/** A share of logged tokens, and its expected value if divergence and answers were unrelated. */
export interface ShareFigures {
  /** Number of records behind the share. */
  readonly count: number;
  readonly share: number | null;
  /**
   * 95 %, Wilson's for the number of independent draws equivalent to the clusters; null if the log names no responses.
   */
  readonly interval: IntervalFigures;
  readonly by: ClusterKind | null;
  readonly clusters: number;
  /** The expected share; null if not known. */
  readonly baseline: number | null;
  /**
   * Where the expected share comes from: correct answers' share of all response tokens (`iteration_correct_tokens` of
   * the log), of all responses (`iteration_accuracy`, or what the user gave), or the same share in incorrect answers.
   */
  readonly baseline_from: "tokens" | "responses" | "given" | "incorrect" | null;
  /** 95 % interval of share − baseline, if the baseline is measured in the log itself; clusters of the smaller side. */
  readonly against_baseline: (IntervalFigures & { readonly clusters: number }) | null;
}

export interface LogShares {
  /** Share from correct answers, among records whose correctness is known. */
  readonly correct: ShareFigures;
  /** The same for digit tokens. */
  readonly digits_correct: ShareFigures;
  /** Share of digit tokens, among records from correct answers whose text is known. */
  readonly correct_digits: ShareFigures;
}

/**
 * The difference of means, allowing any dependence within a prompt: CR2, Student's t with Bell and McCaffrey's degrees
 * of freedom, which are few where one side is small.
 */
export interface ClusteredTest extends TestFigures {
  readonly by: ClusterKind;
  readonly clusters: number;
  /** Number of clusters on the side that has fewer. */
  readonly clusters_least: number;
  /** Interval of the mean difference. */
  readonly interval: IntervalFigures;
  /** That interval over the pooled standard deviation of the values. */
  readonly effect_interval: IntervalFigures;
}

/**
 * Compares two groups of divergences; `a` minus `b`. All tests are two-sided, all intervals are 95 %. Only `clustered`
 * is a valid test: the others assume independent values, which these are not (tokens of one response, responses to one
 * prompt); they describe this log, and reject too often.
 */
export interface Comparison {
  readonly id: "digits" | "digits_sequences" | "correctness" | "correctness_sequences" | "not_digits";
  readonly title: string;
  /** What one value is: a token, or the mean over the tokens of one response. */
  readonly unit: "token" | "sequence";
  readonly a: Sample;
  readonly b: Sample;
  /** Why there is no test; null if there is one. */
  readonly absent: string | null;
  readonly mean_difference: number | null;
  /** Without the assumption of equal variances. */
  readonly mean_difference_interval: IntervalFigures;
  readonly hedges_g: number | null;
  readonly hedges_g_interval: IntervalFigures;
  readonly t: TestFigures;
  readonly welch: TestFigures;
  readonly mann_whitney: TestFigures;
  /** 2 P(a > b) + P(a = b) − 1, from −1 to 1. */
  readonly rank_biserial: number | null;
  readonly rank_biserial_interval: IntervalFigures;
  /** Null for tokens by correctness, and if the log names neither prompts nor responses. */
  readonly clustered: ClusteredTest | null;
}

export interface TestFigures {
  readonly statistic: number | null;
  readonly p_value: number | null;
  readonly degrees_of_freedom: number | null;
}

/**
 * The guide's Hypothesis 1 (the trainer learns correct answers first), by the guide's own rules, together with whether
 * chance would give the same. Null: not known, or too few prompts to tell.
 */
export interface HypothesisFigures {
  /**
   * Share from correct answers, among records whose correctness is known; the guide calls more than the limit strong
   * evidence.
   */
  readonly correct_share: number | null;
  readonly share_limit: number;
  readonly share_above_limit: boolean | null;
  /** Whether the 95 % interval of that share, and of the digit tokens', lies above what chance gives. */
  readonly share_above_chance: boolean | null;
  readonly digits_share_above_chance: boolean | null;
  /** Mean divergence of digit tokens, correct over incorrect answers. */
  readonly digit_ratio: number | null;
  readonly ratio_limit: number;
  readonly ratio_above_limit: boolean | null;
  /** For the difference of these means by response, counting prompts; significant below 0.05. */
  readonly digits_p_value: number | null;
  readonly digits_significant: boolean | null;
}

export type ScenarioStatus = "yes" | "no" | "not enough data";

/** A row of the guide's table of diagnostic scenarios (and its Hypothesis 1), compared with what chance would give. */
export interface Scenario {
  readonly id:
    | "mostly_correct"
    | "mostly_incorrect"
    | "digits_correct"
    | "equal"
    | "digits_only"
    | "not_digits_more";
  readonly observation: string;
  readonly status: ScenarioStatus;
  /** The deciding figures, in one sentence. */
  readonly measured: string;
  readonly interpretation: string;
  readonly next_step: string;
}

export interface SkippedLogLine {
  readonly file: string;
  readonly line: number;
  readonly kind: "torn" | "foreign";
  readonly why: string;
}

export interface LogSource {
  readonly file: string;
  readonly bytes: number | null;
  readonly records: number;
  readonly torn: number;
  readonly foreign: number;
}
