/**
 * The result of `logratio report`: what `--json` prints, the HTML report draws and the viewer will ask for. Names are
 * snake_case as in the trainers' logs; log quantities are in nats, shares are fractions of 1.
 *
 * @module
 */
import type { Fraction, Nats, Ratio } from "../core/base/index.ts";
import type { Finding, Omission, Severity } from "../core/schema/index.ts";
import type { GradientReport } from "./gradient.ts";
import type { IdentityReport, TrustReport } from "./identity.ts";
import type { ReadingLevel } from "./reading-level.ts";
import type { SeriesReport } from "./series.ts";
import type { WatchReport } from "./watch.ts";
import type { WorstSequence, WorstToken } from "./worst.ts";

export type { WorstSequence, WorstToken } from "./worst.ts";

/**
 * The version of the report's shape, its `schemaVersion`; it grows when a field changes its meaning or goes.
 */
export const REPORT_SCHEMA_VERSION = 1;

/** Figures pooled over all masked tokens of whatever they describe (the whole input, a step, a turn, …). */
export interface MismatchMetrics {
  readonly sequences: number;
  /** Masked tokens with both log-probs finite; all figures below are over these. */
  readonly tokens: number;
  /** Mean of Δ = log p_trainer − log p_rollout. */
  readonly delta_mean: Nats;
  readonly delta_std: Nats;
  readonly delta_min: Nats;
  readonly delta_max: Nats;
  readonly delta_abs_mean: Nats;
  readonly delta_abs_max: Nats;
  readonly delta_abs_p50: Nats;
  readonly delta_abs_p99: Nats;
  readonly delta_abs_p999: Nats;
  /** k1 = mean(−Δ), k2 = mean(Δ²)/2, k3 = mean(e^Δ − Δ − 1): estimators of KL(rollout ‖ trainer). */
  readonly k1: Nats;
  readonly k2: Nats;
  readonly k3: Nats;
  /** mean(ρ²) − 1 with ρ = e^Δ. */
  readonly chi2_token: number;
  readonly ratio_mean: Ratio;
  readonly ratio_std: Ratio;
  readonly prob_diff_mean: Fraction;
  readonly prob_diff_max: Fraction;
  readonly prob_diff_std: Fraction;
  /** Between exp(rollout) and exp(trainer). */
  readonly pearson: number;
  /** (Σρ)² / (n Σρ²), a fraction of the tokens. */
  readonly ess: Fraction;
  /** Perplexity exp(−mean log p) over the pooled tokens, under either policy. */
  readonly rollout_ppl: number;
  readonly trainer_ppl: number;
}

export interface ReportMetrics extends MismatchMetrics {
  readonly steps: number;
  readonly turns_max: number;
  readonly ranks: number;
  /** Sequences without one masked token. */
  readonly sequences_empty: number;
  /** Share of the tokens whose two probabilities differ by more than ½. */
  readonly prob_diff_above_half: number;
  /** Tokens with ρ < 1e-4, and their share: a veto at that threshold rejects each of their sequences. */
  readonly catastrophic_tokens: number;
  readonly catastrophic_fraction: number;
}

/** A step's figures, and how its sequences went; null where the data do not say. */
export type StepMetrics = MismatchMetrics & {
  readonly step: number | null;
  /** Mean entropy of the trainer's next-token distribution (else the rollout engine's) over tokens with mask 1, nats. */
  readonly entropy: number | null;
  /** Mean length of all responses, tokens of any mask. */
  readonly response_tokens: number | null;
  readonly reward: number | null;
  /** Share of right answers among those that are judged. */
  readonly accuracy: number | null;
};
/** Figures of the tokens of one turn; turns count from 0. */
export type TurnMetrics = MismatchMetrics & { readonly turn: number };
export type RankMetrics = MismatchMetrics & { readonly rank: number };
export type NamedMetrics = MismatchMetrics & { readonly name: string };
/**
 * Figures of the tokens that weights of one age sampled: the step minus the weight version. A sequence that several
 * versions sampled counts in each, with its tokens.
 */
export type StalenessMetrics = MismatchMetrics & { readonly staleness: number };

/** Parts beyond the 1,024 of their kind that are kept apart (those with the smallest hashes), as one. */
export type PooledPartMetrics = MismatchMetrics & {
  readonly kind: "engine" | "finish_reason" | "staleness";
  /** How many; at least so many where `is_more`. */
  readonly parts: number;
  readonly is_more: boolean;
};

/** Sums over a group of tokens that is not a group of sequences. */
export interface GroupMetrics {
  readonly tokens: number;
  readonly token_share: number;
  readonly delta_mean: number;
  readonly delta_abs_mean: number;
  readonly delta_abs_max: number;
  readonly k3: number;
  /** This group's share of Σ k3 and of Σ |Δ| over all tokens. */
  readonly k3_share: number;
  readonly delta_abs_share: number;
}

export type PositionDecile = GroupMetrics & { readonly decile: number };
/** Tokens with rollout probability in [from, to). */
export type ProbabilityBucket = GroupMetrics & { readonly from: number; readonly to: number };
export type TokenIdMetrics = GroupMetrics & { readonly token_id: number };

/** Quantile names are `p1`, `p5`, `p25`, `p50`, `p75`, `p95`, `p99`, `p99.9`. */
export interface Distribution {
  readonly count: number;
  readonly mean: number;
  readonly std: number;
  readonly min: number;
  readonly max: number;
  readonly quantiles: Readonly<Record<string, number>>;
}

/** Bars of a histogram: `counts[i]` values lie in [edges[i], edges[i + 1]). */
export interface Histogram {
  readonly edges: readonly number[];
  readonly counts: readonly number[];
}

/** How Δ is spread in right or in wrong answers; the bars of both have the same edges. */
export interface CorrectnessSpread {
  readonly name: "correct" | "incorrect";
  /** Signed-logarithmic bars of its tokens' Δ. */
  readonly delta: Histogram;
  /** Logarithmic bars of the mean |Δ| of each of its sequences, and the median of these. */
  readonly sequence_delta_abs: Histogram;
  readonly sequence_delta_abs_p50: number;
}

/** One point of the extreme-token curve: the share of tokens with |Δ| above the threshold, both tails apart. */
export interface TailPoint {
  readonly threshold: number;
  readonly tokens: number;
  readonly share: number;
  /** Δ > threshold: the trainer finds the token likelier. */
  readonly positive: number;
  /** Δ < −threshold: the rollout engine found it likelier. */
  readonly negative: number;
  /** Sums that did not count beyond this threshold were merged in: tokens of its cell are interpolated. */
  readonly approximate?: boolean;
}

export interface Tail {
  readonly tokens: number;
  readonly share: number;
  readonly delta_mean: number;
  readonly delta_extreme: number;
  readonly p50: number;
  readonly p99: number;
}

/** Figures whose unit is the sequence; empty sequences are left out. */
export interface SequenceMetrics {
  readonly sequences: number;
  /** Mean over sequences of (mean rollout log-prob − mean trainer log-prob). */
  readonly log_ppl_diff_mean: number;
  readonly log_ppl_diff_std: number;
  readonly log_ppl_diff_abs_mean: number;
  readonly log_ppl_diff_max: number;
  readonly log_ppl_diff_min: number;
  readonly rollout_ppl_mean: number;
  readonly trainer_ppl_mean: number;
  readonly ppl_ratio_mean: number;
  /** mean over sequences of exp(2 ΣΔ) − 1, ΣΔ clamped to ±20 as verl does. */
  readonly chi2_seq: number;
  /** Effective share of sequences under product ratios exp(ΣΔ), clamped likewise. */
  readonly ess_seq: number;
  /** Mean number of masked tokens per sequence, and the most. */
  readonly length_mean: number;
  readonly length_max: number;
}

/** A 95 % interval of a pooled figure over the prompts that might have been drawn; see docs/statistics.md. */
export interface Interval {
  /** NaN (null in JSON) where the data allow no interval: then `reason` says why. */
  readonly low: number;
  readonly high: number;
  /** `cluster-t`: linearized over clusters, Student's t; `cluster-gamma`: a rate of rare events that come in clusters. */
  readonly method: "cluster-t" | "cluster-gamma";
  /** What was drawn: prompts with all their samples, or sequences where a prompt is not known. */
  readonly unit: "prompt" | "sequence";
  readonly clusters: number;
  readonly reason: string | null;
  /** Where there is no interval: the smallest and the largest figure that is left without one cluster. */
  readonly leave_one_out: readonly [low: number, high: number] | null;
  /** Where there is no interval: what it would be. It holds less often than it says; a gate counts with no less. */
  readonly withheld?: readonly [low: number, high: number];
}

export type { ReadingLevel };

/** `too_few`: figures, but too few tokens or sequences for a word on the run. */
export type VerdictLevel = ReadingLevel | "too_few";

/** A published figure that the verdict rests on. */
export interface BaselineReading {
  /** Metric name in `metrics`. */
  readonly metric: string;
  readonly value: number;
  readonly level: ReadingLevel;
  /**
   * The level at the end of its 95 % interval that is nearer to normal, and at the other; where there is no interval, at the
   * ends of what is left without any one prompt. Both are `level` where neither is known.
   */
  readonly level_range: readonly [mildest: ReadingLevel, severest: ReadingLevel];
  /** What the source calls normal, and what not, in its own numbers. */
  readonly band: string;
  readonly source: string;
  /** Why the figure is not to be trusted, though its level may look sound. */
  readonly caution?: string;
}

/** The judgment: the worst reading against published baselines, in words. */
export interface Verdict {
  readonly level: VerdictLevel;
  /** What the data leave open: equal where they settle the level, and where there is too little to say. */
  readonly level_range: readonly [mildest: VerdictLevel, severest: VerdictLevel];
  /** One sentence that a tired engineer can act on. */
  readonly headline: string;
  readonly readings: readonly BaselineReading[];
}

/** One telling fact with the size of its effect (facts are ranked by it). */
export interface Fact {
  readonly kind: string;
  readonly text: string;
  /** A number ≥ 0 by which facts compare; 1 is worth a sentence. */
  readonly weight: number;
  /** Of facts that one part of the run is further off than the rest; such a fact is said only where p ≤ 0.05. */
  readonly evidence?: FactEvidence;
}

export interface FactEvidence {
  /** The part: a step, rank, turn, tenth of the response (from 0) or name. */
  readonly subject: string | number;
  /** By permutation, right for all parts that were looked at together. */
  readonly p: number;
  /** Mean |Δ| of the part against the rest. */
  readonly factor: number;
  /** 95 %, over prompts; null where there are too few or one holds too much. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Smallest and largest factor with any one prompt left out. */
  readonly leave_one_out: { readonly low: number; readonly high: number };
}

/** A figure as a trainer logs it beside what it should be. */
export interface ParityDiscrepancy {
  readonly key: string;
  readonly logged: number;
  readonly correct: number;
  readonly reason: string;
}

export interface ParityBlock {
  readonly trainer: string;
  /** The code whose formulas and quirks are kept. */
  readonly source: string;
  /** Over the whole input as one batch (xtuner: merged over packs as xtuner does). */
  readonly metrics: Readonly<Record<string, number>>;
  readonly discrepancies: readonly ParityDiscrepancy[];
  /** What a dashboard shows: one value per step. */
  readonly per_step: readonly {
    readonly step: number | null;
    readonly metrics: Readonly<Record<string, number>>;
  }[];
}

/** Masked-in tokens that are in no figure, and why. */
export interface ExcludedTokens {
  readonly delta_negative_infinite: number;
  readonly delta_positive_infinite: number;
  /** Missing (NaN) on either side, sentinels included, or undefined. */
  readonly missing: number;
}

/** One thing that is in no figure. */
export interface LeftOut extends Omission {
  /** A sentence with its numbers. */
  readonly what: string;
  readonly count: number;
  readonly severity: Severity;
  /** Where it was first seen, if that is one file. */
  readonly file?: string;
}

/** A file that was read, and as what. */
export interface SourceSummary {
  readonly file: string;
  readonly format: string;
  readonly trainer: string;
  readonly step: number | null;
  readonly rank: number | null;
  readonly bytes: number;
  readonly sequences: number;
  readonly found: readonly string[];
  readonly guessed: readonly string[];
  readonly missing: readonly string[];
  /** What its data say of masks, alignment and zeros, a line each; absent where nobody looked. */
  readonly checked?: readonly string[];
}

/** What `logratio report --json` prints. */
export interface MismatchReport {
  readonly schemaVersion: typeof REPORT_SCHEMA_VERSION;
  readonly kind: "report";
  readonly run: string;
  readonly trainers: readonly string[];
  readonly metrics: ReportMetrics;
  /** 95 % intervals over prompts, by metric name. */
  readonly intervals: Readonly<Record<string, Interval>>;
  readonly verdict: Verdict;
  /** What must hold of the rollout log-probs whatever the trainer's weights are. */
  readonly identity: IdentityReport;
  /** Whether means of ratios say what they seem to. */
  readonly trust: TrustReport;
  /** Changes over the steps, as `view --follow` reports them. */
  readonly watch: WatchReport;
  readonly facts: readonly Fact[];
  /** The command worth running next. */
  readonly next: { readonly command: string; readonly why: string };
  readonly distributions: {
    readonly delta: Distribution;
    readonly delta_abs: Distribution;
    readonly prob_diff_abs: Distribution;
    readonly ratio: Distribution;
  };
  readonly histograms: {
    /** Signed-logarithmic bars of Δ. */
    readonly delta: Histogram;
    /** Logarithmic bars of |Δp|. */
    readonly prob_diff_abs: Histogram;
    /** Right and wrong answers apart; empty unless there are both. */
    readonly by_correctness: readonly CorrectnessSpread[];
  };
  readonly tail_curve: readonly TailPoint[];
  readonly tails: { readonly positive: Tail; readonly negative: Tail };
  readonly sequence_metrics: SequenceMetrics;
  readonly per_step: readonly StepMetrics[];
  readonly per_turn: readonly TurnMetrics[];
  readonly per_rank: readonly RankMetrics[];
  readonly per_environment: readonly NamedMetrics[];
  readonly per_correctness: readonly NamedMetrics[];
  /** By engine or replica that sampled the sequence; empty where none is known. */
  readonly per_engine: readonly NamedMetrics[];
  /** By why the engine stopped; empty where it is not known. */
  readonly per_finish_reason: readonly NamedMetrics[];
  /** Empty without weight versions or steps. */
  readonly per_staleness: readonly StalenessMetrics[];
  /** One for each of these three kinds that has too many parts to list; mostly empty. */
  readonly pooled_parts: readonly PooledPartMetrics[];
  /** Tokens of prompts that both sides of two joined files scored, in no other figure; absent where there are none. */
  readonly prompts?: MismatchMetrics;
  readonly per_position_decile: readonly PositionDecile[];
  readonly per_rollout_probability: readonly ProbabilityBucket[];
  /** The token ids with the largest share of Σ k3. */
  readonly per_token_id: readonly TokenIdMetrics[];
  readonly worst_tokens: readonly WorstToken[];
  readonly worst_sequences: readonly WorstSequence[];
  /** What of the mismatch reaches the policy gradient; null where no token has an advantage. */
  readonly gradient: GradientReport | null;
  readonly parity: readonly ParityBlock[];
  readonly excluded: ExcludedTokens;
  /** Everything that is in no figure, `excluded` and findings together; the exit status is 4 iff one is `skipped`. */
  readonly left_out: readonly LeftOut[];
  readonly findings: readonly Finding[];
  readonly sources: readonly SourceSummary[];
  /** Metrics that the trainer logged, beside what the dumps give; absent where no file of them was given. */
  readonly logged?: SeriesReport;
}
