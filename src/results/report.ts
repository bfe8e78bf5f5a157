/**
 * The result of `logratio report`: what `--json` prints, and what the HTML report and the viewer show. Names are
 * snake_case as in the trainers' logs; log quantities are in nats, shares are fractions of 1.
 *
 * @module
 */
import type { Fraction, Nats, Ratio } from "../core/base/index.ts";
import type { Finding, Omission, Severity } from "../core/schema/index.ts";
import type { Assessment } from "./assessment.ts";
import type { GradientReport } from "./gradient.ts";
import type { IdentityReport, TrustReport } from "./identity.ts";
import type { ReadingLevel, VerdictLevel } from "./reading-level.ts";
import type { SeriesReport } from "./series.ts";
import type { WatchReport } from "./watch.ts";
import type { WorstSequence, WorstToken } from "./worst.ts";

export type { WorstSequence, WorstToken } from "./worst.ts";

/**
 * The version of the report's format, its `schemaVersion`; increased when a field changes its meaning or is removed.
 */
export const REPORT_SCHEMA_VERSION = 2;

/** Figures pooled over all masked tokens of what they describe (the whole input, a step, a turn, …). */
export interface MismatchMetrics {
  /** Count of sequences that the tokens came from. */
  readonly sequences: number;
  /** Masked tokens with both log-probs finite; all figures below are over these. */
  readonly tokens: number;
  /** Mean of Δ = log p_trainer − log p_rollout. */
  readonly delta_mean: Nats;
  /** Population standard deviation of Δ. */
  readonly delta_std: Nats;
  /** Smallest Δ. */
  readonly delta_min: Nats;
  /** Largest Δ. */
  readonly delta_max: Nats;
  /** Mean of |Δ|. */
  readonly delta_abs_mean: Nats;
  /** Largest |Δ|. */
  readonly delta_abs_max: Nats;
  /** Median of |Δ|, within 1 %. */
  readonly delta_abs_p50: Nats;
  /** 99 % quantile of |Δ|, within 1 %. */
  readonly delta_abs_p99: Nats;
  /** 99.9 % quantile of |Δ|, within 1 %. */
  readonly delta_abs_p999: Nats;
  /** k1 = mean(−Δ), k2 = mean(Δ²)/2, k3 = mean(e^Δ − Δ − 1): estimators of KL(rollout ‖ trainer). */
  readonly k1: Nats;
  /** Mean of Δ²/2. */
  readonly k2: Nats;
  /** Mean of e^Δ − Δ − 1, summed in this form. */
  readonly k3: Nats;
  /** mean(ρ²) − 1 with ρ = e^Δ. */
  readonly chi2_token: number;
  /** Mean of ρ = e^Δ. */
  readonly ratio_mean: Ratio;
  /** Population standard deviation of ρ. */
  readonly ratio_std: Ratio;
  /** Mean of |exp(trainer) − exp(rollout)|. */
  readonly prob_diff_mean: Fraction;
  /** Largest |exp(trainer) − exp(rollout)|. */
  readonly prob_diff_max: Fraction;
  /** Standard deviation of |exp(trainer) − exp(rollout)|. */
  readonly prob_diff_std: Fraction;
  /** Correlation between exp(rollout) and exp(trainer). */
  readonly pearson: number;
  /** (Σρ)² / (n Σρ²), a fraction of the tokens. */
  readonly ess: Fraction;
  /** Perplexity exp(−mean log p) over the pooled tokens, under either policy. */
  readonly rollout_ppl: number;
  /** Perplexity under the trainer, without unit. */
  readonly trainer_ppl: number;
}

export interface ReportMetrics extends MismatchMetrics {
  readonly steps: number;
  readonly turns_max: number;
  readonly ranks: number;
  /** Sequences without a single masked token. */
  readonly sequences_empty: number;
  /** Share of the tokens whose two probabilities differ by more than ½. */
  readonly prob_diff_above_half: number;
  /** Tokens with ρ < 1e-4, and their share: a veto at that threshold rejects each of their sequences. */
  readonly catastrophic_tokens: number;
  readonly catastrophic_fraction: number;
}

/** A step's figures, and the outcomes of its sequences; null if the data do not say. */
export type StepMetrics = MismatchMetrics & {
  /** Training step; null for sequences whose step is not known. */
  readonly step: number | null;
  /** Mean entropy of the trainer's next-token distribution (else the rollout engine's) over tokens with mask 1, nats. */
  readonly entropy: number | null;
  /** Mean length of all responses, tokens of any mask. */
  readonly response_tokens: number | null;
  /** Mean reward of the step's sequences with a known one; null if none has one. */
  readonly reward: number | null;
  /** Share of right answers among those judged. */
  readonly accuracy: number | null;
};
/** Figures of the tokens of one turn; turns count from 0. */
export type TurnMetrics = MismatchMetrics & {
  /** Turn, counted from 0. */
  readonly turn: number;
};
export type RankMetrics = MismatchMetrics & { readonly rank: number };
export type NamedMetrics = MismatchMetrics & { readonly name: string };
/**
 * Figures of tokens sampled with weights of one age: the step minus the weight version. A sequence sampled with several
 * versions counts in each, with its tokens.
 */
export type StalenessMetrics = MismatchMetrics & { readonly staleness: number };

/** Parts of one kind beyond the 1,024 kept separate (those with the smallest hashes), combined. */
export type PooledPartMetrics = MismatchMetrics & {
  readonly kind: "engine" | "finish_reason" | "staleness";
  /** Their number; a lower bound if `is_more`. */
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
  /** Number of values counted. */
  readonly count: number;
  /** Mean, in the unit of the values. */
  readonly mean: number;
  /** Population standard deviation, in the unit of the values. */
  readonly std: number;
  /** Smallest value. */
  readonly min: number;
  /** Largest value. */
  readonly max: number;
  /** Quantiles by name (`p50`, `p999`), within 1 % of the value. */
  readonly quantiles: Readonly<Record<string, number>>;
}

/** Bars of a histogram: `counts[i]` values lie in [edges[i], edges[i + 1]). */
export interface Histogram {
  readonly edges: readonly number[];
  readonly counts: readonly number[];
}

/** The distribution of Δ in right or in wrong answers; both have the same edges. */
export interface CorrectnessSpread {
  readonly name: "correct" | "incorrect";
  /** Signed-logarithmic bars of its tokens' Δ. */
  readonly delta: Histogram;
  /** Logarithmic bars of the mean |Δ| of each of its sequences, and the median of these. */
  readonly sequence_delta_abs: Histogram;
  readonly sequence_delta_abs_p50: number;
}

/**
 * One point of the extreme-token curve: the share of tokens with |Δ| above the threshold, separately for both tails.
 */
export interface TailPoint {
  readonly threshold: number;
  readonly tokens: number;
  readonly share: number;
  /** Δ > threshold: the trainer finds the token likelier. */
  readonly positive: number;
  /** Δ < −threshold: the rollout engine found it likelier. */
  readonly negative: number;
  /** Whether merged sums did not count beyond this threshold: tokens of its cell are then interpolated. */
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
  /** Effective share of sequences under product ratios exp(ΣΔ), clamped the same way. */
  readonly ess_seq: number;
  /** Mean number of masked tokens per sequence, and the most. */
  readonly length_mean: number;
  readonly length_max: number;
}

/** A 95 % interval of a pooled figure over the prompts that might have been drawn; see docs/statistics.md. */
export interface Interval {
  /** NaN (null in JSON) if the data allow no interval: then `reason` says why. */
  readonly low: number;
  readonly high: number;
  /** `cluster-t`: linearized over clusters, Student's t; `cluster-gamma`: a rate of rare events that come in clusters. */
  readonly method: "cluster-t" | "cluster-gamma";
  /** The sampling unit: prompts with all their samples, or sequences if a prompt is not known. */
  readonly unit: "prompt" | "sequence";
  readonly clusters: number;
  readonly reason: string | null;
  /** If there is no interval: the smallest and the largest value of the figure with one cluster left out. */
  readonly leave_one_out: readonly [low: number, high: number] | null;
  /** If there is no interval: what it would be. Its coverage is below its level; a gate assumes at least this width. */
  readonly withheld?: readonly [low: number, high: number];
}

export type { ReadingLevel, VerdictLevel };

/** A published figure behind the verdict. */
export interface BaselineReading {
  /** Metric name in `metrics`. */
  readonly metric: string;
  readonly value: number;
  readonly level: ReadingLevel;
  /**
   * The level at the end of its 95 % interval nearer to normal, and at the other end; if there is no interval, at the
   * extremes without any one prompt. Both are `level` if neither is known.
   */
  readonly level_range: readonly [mildest: ReadingLevel, severest: ReadingLevel];
  /** The usual value in healthy runs, in a few characters: `< 0.01`. */
  readonly usual: string;
  /** What the source calls normal and abnormal, in its own numbers. */
  readonly band: string;
  readonly source: string;
  /** Why the figure cannot be trusted, even if its level looks healthy. */
  readonly caution?: string;
}

/** The judgment: the worst reading against published baselines, in words. */
export interface Verdict {
  /** The level of the headline. */
  readonly level: VerdictLevel;
  /** The levels that the data leave open: equal if they settle the level, and if there is too little to say. */
  readonly level_range: readonly [mildest: VerdictLevel, severest: VerdictLevel];
  /** One sentence that a tired engineer can act on. */
  readonly headline: string;
  /** The figures that decide it, each next to its limits. */
  readonly readings: readonly BaselineReading[];
}

/** One telling fact with the size of its effect (facts are ranked by it). */
export interface Fact {
  /** The subject of the sentence, for programs that select facts. */
  readonly kind: string;
  /** A headline, with its figure and what it is compared with. */
  readonly text: string;
  /** A number ≥ 0 by which facts are ranked; 1 is worth a sentence. */
  readonly weight: number;
  /** For facts that one part of the run is further off than the rest; such a fact is reported only if p ≤ 0.05. */
  readonly evidence?: FactEvidence;
}

export interface FactEvidence {
  /** The part: a step, rank, turn, tenth of the response (from 0) or name. */
  readonly subject: string | number;
  /** By permutation, adjusted for all parts tested together. */
  readonly p: number;
  /** Mean |Δ| of the part against the rest. */
  readonly factor: number;
  /** 95 %, over prompts; null if there are too few or one holds too much. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Smallest and largest factor with any one prompt left out. */
  readonly leave_one_out: { readonly low: number; readonly high: number };
}

/** A figure as logged by a trainer, next to what it should be. */
export interface ParityDiscrepancy {
  readonly key: string;
  readonly logged: number;
  readonly correct: number;
  readonly reason: string;
}

export interface ParityBlock {
  readonly trainer: string;
  /** The code whose formulas and quirks are followed. */
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

/** Masked tokens in none of the figures, and why. */
export interface ExcludedTokens {
  readonly delta_negative_infinite: number;
  readonly delta_positive_infinite: number;
  /** Missing (NaN) on either side, sentinels included, or undefined. */
  readonly missing: number;
}

/** Something in none of the figures. */
export interface LeftOut extends Omission {
  /** A sentence with its numbers. */
  readonly what: string;
  readonly count: number;
  readonly severity: Severity;
  /** Where it first occurred, if that is one file. */
  readonly file?: string;
}

/** A file that was read, and how it was recognized. */
export interface SourceSummary {
  /** The path, as it was given or found. */
  readonly file: string;
  /** The file format: `npz`, `jsonl`, …. */
  readonly format: string;
  /** Name of the adapter that understood it. */
  readonly trainer: string;
  /** Training step named by the file; null if it names none. */
  readonly step: number | null;
  /** Data-parallel rank; null if the file names none. */
  readonly rank: number | null;
  /** Size on disk, in bytes. */
  readonly bytes: number;
  /** Sequences read from it. */
  readonly sequences: number;
  /** What was recognized, one per line. */
  readonly found: readonly string[];
  /** What was assumed, one per line. */
  readonly guessed: readonly string[];
  /** What it lacks that other files have, one per line. */
  readonly missing: readonly string[];
  /** What its data show about masks, alignment and zeros, one per line; absent if not checked. */
  readonly checked?: readonly string[];
}

/** A command worth running, and what for. */
export interface SuggestedCommand {
  readonly command: string;
  readonly why: string;
}

/** What `logratio report --json` prints. */
export interface MismatchReport {
  /** Version of this shape; readers of an older one refuse a newer. */
  readonly schemaVersion: typeof REPORT_SCHEMA_VERSION;
  /** Identifies results that are read from files. */
  readonly kind: "report";
  /** Name of the run: the directory or file that was given. */
  readonly run: string;
  /** Trainers whose files were read. */
  readonly trainers: readonly string[];
  /** The figures over all masked tokens. */
  readonly metrics: ReportMetrics;
  /** 95 % intervals over prompts, by metric name. */
  readonly intervals: Readonly<Record<string, Interval>>;
  /** The answer about the run; `verdict` is one of its inputs. */
  readonly assessment: Assessment;
  /** How large the mismatch is by published baselines, with the readings behind it. */
  readonly verdict: Verdict;
  /** What must hold for the rollout log-probs whatever the trainer's weights are. */
  readonly identity: IdentityReport;
  /** Whether means of ratios can be trusted. */
  readonly trust: TrustReport;
  /** Changes over the steps, as `view --follow` reports them. */
  readonly watch: WatchReport;
  /** What stands out, one headline each. */
  readonly facts: readonly Fact[];
  /** The command worth running next. */
  readonly next: SuggestedCommand;
  /** The command that finds a correction for training in the meantime; null if none is needed. */
  readonly correct: SuggestedCommand | null;
  /** Moments and quantiles of Δ and |Δ| in nats, of |Δp| and of ρ. */
  readonly distributions: {
    readonly delta: Distribution;
    readonly delta_abs: Distribution;
    readonly prob_diff_abs: Distribution;
    readonly ratio: Distribution;
  };
  /** Counts of tokens by Δ, by |Δp|, and by Δ separately for right and wrong answers. */
  readonly histograms: {
    /** Signed-logarithmic bars of Δ. */
    readonly delta: Histogram;
    /** Logarithmic bars of |Δp|. */
    readonly prob_diff_abs: Histogram;
    /** Right and wrong answers separately; empty unless there are both. */
    readonly by_correctness: readonly CorrectnessSpread[];
  };
  /** P(|Δ| > τ) over thresholds τ in nats. */
  readonly tail_curve: readonly TailPoint[];
  /** Tokens with positive Δ and tokens with negative Δ, separately. */
  readonly tails: { readonly positive: Tail; readonly negative: Tail };
  /** Figures of whole sequences: products and means of ratios. */
  readonly sequence_metrics: SequenceMetrics;
  /** The figures by step, in the order of steps. */
  readonly per_step: readonly StepMetrics[];
  /** The figures by turn, counted from 0. */
  readonly per_turn: readonly TurnMetrics[];
  /** The figures by data-parallel rank. */
  readonly per_rank: readonly RankMetrics[];
  /** The figures by environment. */
  readonly per_environment: readonly NamedMetrics[];
  /** The figures of correct and of incorrect responses. */
  readonly per_correctness: readonly NamedMetrics[];
  /** By engine or replica that sampled the sequence; empty if none is known. */
  readonly per_engine: readonly NamedMetrics[];
  /** By finish reason; empty if none is known. */
  readonly per_finish_reason: readonly NamedMetrics[];
  /** Empty without weight versions or steps. */
  readonly per_staleness: readonly StalenessMetrics[];
  /** One for each of these three kinds with too many parts to list; usually empty. */
  readonly pooled_parts: readonly PooledPartMetrics[];
  /**
   * Prompt tokens that both sides of two joined files scored, in none of the other figures; absent if there are none.
   */
  readonly prompts?: MismatchMetrics;
  /** The figures by tenth of the response. */
  readonly per_position_decile: readonly PositionDecile[];
  /** The figures by probability of the token under the rollout policy. */
  readonly per_rollout_probability: readonly ProbabilityBucket[];
  /** The token ids with the largest share of Σ k3. */
  readonly per_token_id: readonly TokenIdMetrics[];
  /** Tokens with the largest |Δ|, the largest first. */
  readonly worst_tokens: readonly WorstToken[];
  /** Sequences with the largest |ΣΔ|, the largest first. */
  readonly worst_sequences: readonly WorstSequence[];
  /** How much of the mismatch reaches the policy gradient; null if no token has an advantage. */
  readonly gradient: GradientReport | null;
  /** What trainers log for the same data, under their own keys. */
  readonly parity: readonly ParityBlock[];
  /** Tokens in none of the figures, counted by reason. */
  readonly excluded: ExcludedTokens;
  /**
   * Everything that is in none of the figures, from `excluded` and findings; the exit status is 4 if and only if one is
   * `skipped`.
   */
  readonly left_out: readonly LeftOut[];
  /** Findings of reading, with counts and first places. */
  readonly findings: readonly Finding[];
  /** Every file that was read, and how. */
  readonly sources: readonly SourceSummary[];
  /** Metrics logged by the trainer, compared with the dumps; absent if no such file was given. */
  readonly logged?: SeriesReport;
}
