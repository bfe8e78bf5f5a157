/**
 * The doctor's findings on a run: the causes of a mismatch with their probabilities, the evidence for each, what to do
 * about it, and the most informative experiment. Names are snake_case; log quantities are in nats, shares and
 * probabilities are fractions of 1, null is "not known".
 *
 * @module
 */
import type { Fraction, Nats } from "../core/base/index.ts";
import type { Interval } from "../core/statistics/result.ts";

/**
 * - `healthy`: the precision of an engine explains the difference.
 * - `fault`: one cause, or a few, explain it; see their probabilities.
 * - `cannot_tell`: something differs and the data do not decide what; see `next_experiment`.
 * - `too_few`: too few tokens or sequences to judge.
 */
export type DoctorVerdict = "healthy" | "fault" | "cannot_tell" | "too_few";

/** Which of rollout (A), its re-scored column (B) and trainer (C) differ: `decode` is A to B, `trainer` is B to C. */
export type GuiltyLeg = "decode" | "trainer" | "both" | "none";

/** A curve, bars or points that show a piece of evidence. */
export interface EvidencePicture {
  /** `line`: y over ordered x; `bars`: one y per label; `points`: a cloud. */
  readonly kind: "line" | "bars" | "points";
  readonly title: string;
  /** What x and y are, with their units. */
  readonly x_label: string;
  readonly y_label: string;
  /** Numbers, or the names of bars. */
  readonly x: readonly (number | string)[];
  /** One list per series, as long as `x`; null for missing values. */
  readonly series: readonly { readonly name: string; readonly y: readonly (number | null)[] }[];
}

/** A fact that speaks for or against a cause. */
export interface Evidence {
  /** A whole sentence with its figure, its unit and what it is compared with. */
  readonly sentence: string;
  /** What it adds to the log-odds of the cause, in nats; a negative weight speaks against the cause. */
  readonly weight: Nats;
  /** The figures of the sentence, by name. */
  readonly figures: Readonly<Record<string, number | string | null>>;
  readonly picture?: EvidencePicture;
  /** For a figure that is compared with recordings of the cause: as text, with its unit if it has one. */
  readonly profile?: {
    /** The same for every cause: what is compared. */
    readonly name: string;
    readonly label: string;
    readonly value: string;
    readonly expected: string;
  };
}

/** What to change, in the terms of one trainer or engine. */
export interface Fix {
  /** `verl`, `vllm`, …; null for any trainer. */
  readonly trainer: string | null;
  /** The line of config, the flag, or the change in code; what to do if there is nothing to paste. */
  readonly line: string;
  /** Whether `line` can be pasted; else it is a phrase. */
  readonly is_code: boolean;
  /** What it does, and what to keep in mind. */
  readonly note: string;
}

export interface DoctorCause {
  /** `temperature_mismatch`, …; `healthy`; `cannot_tell` is "none of these". */
  readonly id: string;
  /** `meaning`, `alignment`, `mask`, `context`, `weights`, `numerics`, `missing`, `where`, `when` or `healthy`. */
  readonly family: string;
  readonly title: string;
  readonly description: string;
  /** Probability that the run has it. Mutually exclusive causes, including "none of these", share 1; see `coexists`. */
  readonly probability: Fraction;
  /**
   * Share of Σ|Δ| that it explains if true. For a mark: what disappears once its tokens are excluded or its column is
   * corrected; for a coarse storage format: what rounding alone causes; for the others: what no mark explains, in the
   * part of the run that stands out. Null if nothing differs, or if no cause is named.
   */
  readonly explains: Fraction | null;
  /**
   * Whether it is a proven mark that explains little, next to what makes up most of Σ|Δ|: its probability is its own,
   * and both may be true.
   */
  readonly coexists: boolean;
  /** Strongest first. */
  readonly evidence: readonly Evidence[];
  /** Handles of sequences or tokens to look at with `logratio show`. */
  readonly handles: readonly string[];
  readonly fix: readonly Fix[];
}

/**
 * Causes that leave the same traces in log-probs: the data name them together, and an experiment distinguishes them.
 */
export interface AlikeCauses {
  /** What they have in common: `Different weights on the two sides`. */
  readonly title: string;
  /** Ids of causes, most likely first. */
  readonly causes: readonly string[];
  /** Probability that it is one of them. */
  readonly probability: Fraction;
}

/** The most informative experiment, and what each outcome would mean. */
export interface NextExperiment {
  readonly id: string;
  readonly title: string;
  /** What to do, step by step; commands have lines of their own. */
  readonly steps: readonly string[];
  /** What to expect for each cause that it separates. */
  readonly outcomes: readonly { readonly outcome: string; readonly causes: readonly string[] }[];
  /** Expected reduction of the entropy over causes. */
  readonly expected_information: Nats;
}

/** The difference over one leg of three columns, on tokens where both ends are known. */
export interface LegFigures {
  readonly name: "decode" | "trainer";
  readonly tokens: number;
  readonly delta_mean: Nats;
  readonly delta_abs_mean: Nats;
  readonly delta_abs_max: Nats;
  /** mean(e^Δ − Δ − 1). */
  readonly k3: Nats;
  /** Share of the tokens whose Δ is exactly 0. */
  readonly equal_share: Fraction;
}

/**
 * Whose the gap between rollout and trainer is, by the float32 reference:
 *
 * - `rollout`, `trainer`: more than half of its variance is that side's, by the whole 95 % interval.
 * - `both`: the interval of the shares contains one half.
 * - `shared`: the two sides are nearer to each other than either is to the reference, so it has other weights or means
 *   something else, or both share an error, which cancels in the gap.
 * - `copy`: the reference equals one of the sides at every token, so that the gap is the other's by construction.
 */
export type GapOwner = "rollout" | "trainer" | "both" | "shared" | "copy";

/** A column's own error: its log-prob of a token minus that of the reference, over the tokens that all columns have. */
export interface ColumnError {
  /** `rollout`, `trainer` or the name of a further policy. */
  readonly column: string;
  readonly tokens: number;
  readonly mean: Nats;
  /** √(mean error²). */
  readonly rms: Nats;
  /** 95 %, over prompts; null if `no_interval` says why. */
  readonly interval: Interval | null;
  /**
   * 95 % interval of its rms over that of the column before, paired by prompt: the order of two is decided if it does
   * not contain 1. Null for the first, and where there is no interval.
   */
  readonly ratio_to_previous: Interval | null;
}

/** The gap between two columns, and what their own errors say about it. */
export interface ErrorPair {
  readonly first: string;
  readonly second: string;
  readonly tokens: number;
  /** √(mean gap²), as measured. */
  readonly gap_rms: Nats;
  /** What it would be if the errors were independent: √(Var first + Var second + (difference of the means)²). */
  readonly independent_rms: Nats;
  /** Of the two errors, nats²: gap_rms² = independent_rms² − 2 · covariance. */
  readonly covariance: number;
  /** Null if one of the errors is the same at every token. */
  readonly correlation: number | null;
  readonly correlation_interval: Interval | null;
  /**
   * The first column's part of the gap's variance, (Var first − covariance) / Var gap; the second has the rest. Below 0
   * or above 1 where one error takes from the other. Null without a gap.
   */
  readonly first_share: Fraction | null;
  readonly first_share_interval: Interval | null;
}

/** Each column's own error, measured by a column of log-probs of the same weights in float32. */
export interface OwnErrors {
  /** The name of the reference in the record. */
  readonly reference: string;
  /** Null without a gap, or if the data allow no interval. */
  readonly owner: GapOwner | null;
  /** What intervals were computed over: prompts, if every sequence's is known. */
  readonly unit: "prompt" | "sequence";
  readonly clusters: number;
  /** Why there are no intervals: `only 7 prompts`; null if there are. */
  readonly no_interval: string | null;
  /** Least error first. */
  readonly columns: readonly ColumnError[];
  /** Of each two columns; rollout and trainer first. */
  readonly pairs: readonly ErrorPair[];
  /** Counted tokens without a finite value, by column; a token that lacks one is in none of the figures. */
  readonly missing: Readonly<Record<string, number>>;
  /** Further policies that are in none of the figures, since there are too many. */
  readonly columns_left_out: readonly string[];
}

/** What the record's digests of both sides' weights say; sequences without one on each side are in no count. */
export interface WeightFacts {
  /** The facts below in words. */
  readonly sentence: string;
  readonly sequences: number;
  /** The same values on both sides, whatever their number types. */
  readonly equal: number;
  /** The same after rounding to bfloat16. */
  readonly rounded: number;
  readonly different: number;
  /** Digests that cannot be compared: of other tensors, of another rounding, or named by each side in its own way. */
  readonly unknown: number;
  /** First step with different weights; null if there is none. */
  readonly first_different_step: number | null;
  /**
   * How many steps earlier the trainer had the engine's weights, in most of the sequences whose weights differ;
   * negative if it had them later, null if at no step of the record.
   */
  readonly lag: number | null;
  /** Sequences whose weights differ by that lag. */
  readonly lag_sequences: number;
  /** Steps at which the trainer's weights changed since the step before in the record. */
  readonly updates: number;
  /** Those of them after which the weights rounded to bfloat16 are still the same: an engine in bfloat16 missed them. */
  readonly updates_below_bfloat16: number;
}

/** A test that the run has no data for. */
export interface UntestedQuestion {
  /** What could not be tested: `whether the rollout's log-probs are those of the distribution that was sampled`. */
  readonly test: string;
  /** The record's column, or what else is missing: `entropy.rollout`. */
  readonly column: string;
  /** How to get it. */
  readonly how: string;
}

/** The diagnosis from the data alone. */
export interface Diagnosis {
  /** Whether something is wrong. */
  readonly verdict: DoctorVerdict;
  /** The verdict in one sentence. */
  readonly sentence: string;
  /**
   * Most likely first, after the likeliest of the likeliest group of `alike` causes. The probabilities of all causes,
   * including those not listed, sum to 1, except for those that coexist, which come after the first.
   */
  readonly causes: readonly DoctorCause[];
  /** The causes that look like the first one, including itself; null if its traces are unique. */
  readonly alike: AlikeCauses | null;
  /** Null without a re-scored column, or if too few sequences have one. */
  readonly guilty_leg: GuiltyLeg | null;
  /** Figures of each pair of policies that was compared. */
  readonly legs: readonly LegFigures[];
  /** Null without a column of the same weights in float32. */
  readonly own_errors: OwnErrors | null;
  /** Null if no sequence has a digest of each side's weights. */
  readonly weights: WeightFacts | null;
  /** Null if nothing more needs to be known. */
  readonly next_experiment: NextExperiment | null;
  /** What could not be tested, most informative first. */
  readonly untested: readonly UntestedQuestion[];
  /** The figures behind the diagnosis, by name; null if not known. */
  readonly metrics: Readonly<Record<string, number | null>>;
  /** Counts of tokens in none of the figures, by reason. */
  readonly excluded: Readonly<Record<string, number>>;
}
