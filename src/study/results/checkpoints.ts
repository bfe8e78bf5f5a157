/**
 * The figures of `logratio kl` for each checkpoint, and for all of them in order.
 *
 * @module
 */
import type { PolicyRole, Region } from "./names.ts";

export interface KlInterval {
  readonly low: number;
  readonly high: number;
}

export interface CheckpointFigures {
  readonly role: PolicyRole;
  readonly step: number | null;
  readonly stage: string | null;
  /** False if only bounds are known; spikes, categories and series are then about the lower one. */
  readonly exact: boolean;
  readonly problems: number;
  readonly texts: number;
  readonly tokens: number;
  /** Texts of the study for which this checkpoint has no scores. */
  readonly texts_missing: number;
  /** Mean over problems of problem means of D(checkpoint‖reference). */
  readonly mean_kl: number | null;
  /** Population standard deviation over problems. */
  readonly std_kl: number | null;
  readonly median_kl: number | null;
  readonly min_kl: number | null;
  readonly max_kl: number | null;
  /** 95 %, over problems: Student's t up to 30, above that the bootstrap; null for fewer than six. */
  readonly mean_kl_interval: KlInterval | null;
  readonly mean_reverse_kl: number | null;
  readonly mean_js: number | null;
  readonly mean_total_variation: number | null;
  /** Null if exact. */
  readonly mean_kl_lower: number | null;
  /** Null if exact, or if nothing bounds it: see `upper_infinite_share`. */
  readonly mean_kl_upper: number | null;
  /** Share of tokens whose upper bound is infinite. */
  readonly upper_infinite_share: number | null;
  /** Over tokens instead of problems. */
  readonly token_mean_kl: number | null;
  readonly token_max_kl: number | null;
  /** Share of tokens whose most probable token differs from the reference's. */
  readonly argmax_changed: number | null;
  /** Mean of log p_checkpoint − log p_reference of the forced token. */
  readonly mean_delta: number | null;
  readonly mean_entropy: number | null;
  readonly std_entropy: number | null;
  /** Mean entropy divided by log V. */
  readonly mean_entropy_normalized: number | null;
  readonly mean_reference_entropy: number | null;
  /** Means over problems of the means of each third of the response. */
  readonly entropy_by_region: Readonly<Record<Region, number | null>>;
  readonly spikes_total: number;
  /** Per problem. */
  readonly spikes_mean: number;
  /** Per problem, with each text's own values in random order: what the rule finds when no place is special. */
  readonly spikes_shuffled: number | null;
  readonly spikes_median: number;
  readonly spikes_per_100_tokens: number;
  readonly spike_mean_value: number | null;
  readonly spike_mean_zscore: number | null;
  /** Share of all KL that lies in spikes. */
  readonly spike_share_of_kl: number | null;
  /** Spikes, and the mean over texts of spikes per token of the region. */
  readonly spike_regions: Readonly<Record<Region, { readonly spikes: number; readonly density: number }>>;
  /** The same in RL-Probe's alignment, including tool output; null unless requested. */
  readonly rl_probe: {
    readonly mean_kl: number;
    readonly std_kl: number;
    readonly spikes_total: number;
    readonly spikes_mean: number;
    /** Share of our spikes whose token is also a spike there. */
    readonly same_spikes: number | null;
  } | null;
}

export interface CategoryFigures {
  readonly count: number;
  readonly mean_kl: number;
  readonly std_kl: number;
  readonly max_kl: number;
  readonly min_kl: number;
  readonly spikes: number;
  readonly share_of_tokens: number;
  readonly share_of_kl: number;
  /** 95 %, over problems: Student's t up to 30, above that the bootstrap; null for fewer than six. */
  readonly mean_kl_interval: KlInterval | null;
}

export interface Progression {
  /** Checkpoints with a step, by step. */
  readonly checkpoints: readonly string[];
  readonly steps: readonly number[];
  readonly mean_kl: readonly number[];
  readonly mean_entropy: readonly (number | null)[];
  readonly spikes_mean: readonly number[];
  /** Per category, by checkpoint. */
  readonly category_mean_kl: Readonly<Record<string, readonly (number | null)[]>>;
  readonly stages: readonly StageFigures[];
  readonly turning_points: readonly TurningPoint[];
  /** Entropy: (first − last) / first, and each step compared with the next. */
  readonly entropy_reduction: {
    readonly absolute: number;
    readonly relative: number;
    readonly by_region: Readonly<Record<Region, number | null>>;
    readonly rates: readonly (number | null)[];
  } | null;
  readonly trend: Trend | null;
  /** The first checkpoint from which on mean KL is at least half of the last one's; null if there is none. */
  readonly half_by: string | null;
}

export interface Trend {
  /** Spearman's correlation of mean KL with step, over these checkpoints; descriptive. */
  readonly rho: number;
  /** Test of the increments against a walk without drift, two-sided; null for fewer than six checkpoints. */
  readonly p_value: number | null;
}

export interface StageFigures {
  readonly stage: string;
  readonly checkpoints: readonly string[];
  readonly mean_kl: number;
  readonly mean_entropy: number | null;
  readonly spikes_mean: number;
  /** Compared with the stage before; null for the first. */
  readonly change: number | null;
}

export interface TurningPoint {
  readonly checkpoint: string;
  readonly step: number;
  readonly value: number;
  readonly type: "max" | "min" | "inflection";
  readonly method: "derivative" | "smooth_derivative" | "peaks";
  /**
   * Whether the whole path rises to it and falls after it (or the reverse) more than a walk would;
   * null for fewer than nine checkpoints and for inflections.
   */
  readonly supported: boolean | null;
}

export interface SpikeRange {
  /** `0`, `1-5`, `6-10`, `>10`. */
  readonly range: string;
  readonly problems: number;
  readonly share: number;
}
