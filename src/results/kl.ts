/**
 * The result of `logratio kl`: what `--json` prints. Names are snake_case; KL, entropy and log-probs are in nats,
 * shares and probabilities are fractions of 1; null is "not known". Tokens are response tokens with mask 1 unless a
 * field says otherwise. A "problem mean" is the mean over a problem's tokens (over its texts, where it has several);
 * "over problems" is over those. Formulas: `docs/kl.md`.
 *
 * @module
 */
import type { Finding } from "../core/schema/index.ts";

export const KL_SCHEMA_VERSION = 1;

/** Below this many problems there is no interval: their spread says next to nothing about others. */
export const FEWEST_INTERVAL_PROBLEMS = 6;
/** Up to this many an interval is Student's t: the percentiles of a bootstrap would lie too close together. */
export const MOST_PROBLEMS_BY_T = 30;

export type PolicyRole = "reference" | "checkpoint" | "baseline";
export type SpikeMethod = "zscore" | "percentile" | "adaptive";
export type Region = "early" | "mid" | "late";

export interface KlReport {
  readonly schemaVersion: typeof KL_SCHEMA_VERSION;
  readonly kind: "kl";
  /** Its name in the config, else its directory. */
  readonly study: string;
  readonly reference: string;
  readonly settings: KlSettings;
  readonly metrics: KlMetrics;
  readonly policies: Readonly<Record<string, KlPolicy>>;
  /** By name, in training order: baselines first, then by step. */
  readonly checkpoints: Readonly<Record<string, CheckpointFigures>>;
  /** By checkpoint, then category. */
  readonly categories: Readonly<Record<string, Readonly<Record<string, CategoryFigures>>>>;
  /** Null with fewer than two checkpoints that have a step. */
  readonly progression: Progression | null;
  /** Pairs other than checkpoint against reference. */
  readonly pairs: readonly PairFigures[];
  readonly comparisons: readonly KlComparison[];
  readonly correlations: readonly KlCorrelation[];
  /** Texts that are right and wrong kept apart; empty where correctness is not known. */
  readonly correctness: readonly CorrectnessFigures[];
  /** The first real error of wrong texts against the spikes; empty where no error is known. */
  readonly first_errors: readonly FirstErrorFigures[];
  /** How the first error of wrong texts is looked back at; empty where no attention is known. */
  readonly attention: readonly AttentionFigures[];
  /** What the KL at spikes behind the first error of wrong texts depends on; empty where no gradients are known. */
  readonly gradients: readonly GradientFigures[];
  /** How often the right answer follows when a policy goes on by itself from within a wrong text; empty where not sampled. */
  readonly continuations: readonly ContinuationFigures[];
  /** By checkpoint. */
  readonly spike_distribution: Readonly<Record<string, readonly SpikeRange[]>>;
  readonly top_problems: Readonly<Record<string, TopProblems>>;
  /** Tokens by text at the last checkpoint, most KL first. */
  readonly top_tokens: readonly TokenFigures[];
  /** The largest spikes at the last checkpoint. */
  readonly top_spikes: readonly SpikeFigures[];
  readonly cases: readonly CaseStudy[];
  /** The short answers: at which tokens, of which kind, since which checkpoint, is it statistically there. */
  readonly answers: readonly KlAnswer[];
  /** What these figures do not say, where it applies here. */
  readonly caveats: readonly string[];
  /** Figures that are null or empty, and why; one line each. */
  readonly absent: readonly string[];
  readonly findings: readonly Finding[];
}

export interface KlSettings {
  readonly spikes: {
    readonly method: SpikeMethod;
    /** z-score or multiple of the local standard deviation. */
    readonly threshold: number;
    /** Tokens. */
    readonly min_distance: number;
    readonly percentile: number;
  };
  readonly categories: readonly string[];
  /** Significance level after correction. */
  readonly alpha: number;
  readonly bootstrap_replicates: number;
  readonly seed: number;
  /** What a text's values stand beside: the token that they are about, or (RL-Probe) the one before. */
  readonly alignment: "predicted-token" | "rl-probe";
}

/** The last checkpoint's figures and the size of the study, flat. */
export interface KlMetrics {
  readonly checkpoints: number;
  readonly problems: number;
  readonly texts: number;
  readonly tokens: number;
  readonly masked_out_tokens: number;
  readonly vocabulary_size: number | null;
  readonly last_checkpoint: string;
  readonly mean_kl: number | null;
  readonly std_kl: number | null;
  readonly mean_reverse_kl: number | null;
  readonly mean_js: number | null;
  readonly mean_entropy: number | null;
  readonly spikes_total: number;
  readonly spikes_mean: number;
}

export interface KlPolicy {
  readonly role: PolicyRole;
  /** Training step, from the name's digits or the config. */
  readonly step: number | null;
  readonly stage: string | null;
  readonly backend: string;
  readonly location: string;
  readonly model: string | null;
  readonly logprobs: "raw" | "processed";
  readonly temperature: number;
  readonly notes: readonly string[];
}

export interface KlInterval {
  readonly low: number;
  readonly high: number;
}

export interface CheckpointFigures {
  readonly role: PolicyRole;
  readonly step: number | null;
  readonly stage: string | null;
  /** False: only bounds are known, and spikes, categories and series are of the lower one. */
  readonly exact: boolean;
  readonly problems: number;
  readonly texts: number;
  readonly tokens: number;
  /** Texts of the study that this checkpoint has no scores of. */
  readonly texts_missing: number;
  /** Mean over problems of problem means of D(checkpoint‖reference). */
  readonly mean_kl: number | null;
  /** Population standard deviation over problems. */
  readonly std_kl: number | null;
  readonly median_kl: number | null;
  readonly min_kl: number | null;
  readonly max_kl: number | null;
  /** 95 %, over problems: Student's t to 30, above that the bootstrap; null below six. */
  readonly mean_kl_interval: KlInterval | null;
  readonly mean_reverse_kl: number | null;
  readonly mean_js: number | null;
  readonly mean_total_variation: number | null;
  /** Null where exact. */
  readonly mean_kl_lower: number | null;
  /** Null where exact, or where nothing bounds it: see `upper_infinite_share`. */
  readonly mean_kl_upper: number | null;
  /** Share of tokens whose upper bound is infinite. */
  readonly upper_infinite_share: number | null;
  /** Over tokens instead of problems. */
  readonly token_mean_kl: number | null;
  readonly token_max_kl: number | null;
  /** Share of tokens whose most probable token is another one than the reference's. */
  readonly argmax_changed: number | null;
  /** Mean of log p_checkpoint − log p_reference of the forced token. */
  readonly mean_delta: number | null;
  readonly mean_entropy: number | null;
  readonly std_entropy: number | null;
  /** Over log V. */
  readonly mean_entropy_normalized: number | null;
  readonly mean_reference_entropy: number | null;
  /** Means over problems of the means of thirds of the response. */
  readonly entropy_by_region: Readonly<Record<Region, number | null>>;
  readonly spikes_total: number;
  /** Per problem. */
  readonly spikes_mean: number;
  /** Per problem, if each text's own values came in another order: what the rule finds without any place being special. */
  readonly spikes_shuffled: number | null;
  readonly spikes_median: number;
  readonly spikes_per_100_tokens: number;
  readonly spike_mean_value: number | null;
  readonly spike_mean_zscore: number | null;
  /** Share of all KL that lies in spikes. */
  readonly spike_share_of_kl: number | null;
  /** Spikes, and mean over texts of spikes per token of the region. */
  readonly spike_regions: Readonly<Record<Region, { readonly spikes: number; readonly density: number }>>;
  /** The same in RL-Probe's alignment, tool output included; null unless asked for. */
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
  /** 95 %, over problems: Student's t to 30, above that the bootstrap; null below six. */
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
  /** Entropy: (first − last) / first, and each step to the next. */
  readonly entropy_reduction: {
    readonly absolute: number;
    readonly relative: number;
    readonly by_region: Readonly<Record<Region, number | null>>;
    readonly rates: readonly (number | null)[];
  } | null;
  readonly trend: Trend | null;
  /** The first checkpoint by which half of the last one's mean KL is there and stays; null where none. */
  readonly half_by: string | null;
}

export interface Trend {
  /** Spearman of mean KL with step over checkpoints: of these, descriptive. */
  readonly rho: number;
  /** Of the increments against a walk without drift, two-sided; null below six checkpoints. */
  readonly p_value: number | null;
}

export interface StageFigures {
  readonly stage: string;
  readonly checkpoints: readonly string[];
  readonly mean_kl: number;
  readonly mean_entropy: number | null;
  readonly spikes_mean: number;
  /** Against the stage before; null for the first. */
  readonly change: number | null;
}

export interface TurningPoint {
  readonly checkpoint: string;
  readonly step: number;
  readonly value: number;
  readonly type: "max" | "min" | "inflection";
  readonly method: "derivative" | "smooth_derivative" | "peaks";
  /**
   * Whether the whole path rises to it and falls behind it (or the reverse) more than jitter between checkpoints would;
   * null below nine checkpoints and for inflections.
   */
  readonly supported: boolean | null;
}

export interface PairFigures {
  readonly p: string;
  readonly q: string;
  readonly problems: number;
  readonly tokens: number;
  readonly mean_kl: number | null;
  readonly std_kl: number | null;
  readonly mean_reverse_kl: number | null;
  readonly mean_js: number | null;
  readonly spikes_mean: number;
}

/** Two checkpoints on the same problems: problem means of KL to the reference, paired. */
export interface KlComparison {
  readonly kind: "consecutive" | "first-last" | "baseline";
  readonly a: string;
  readonly b: string;
  readonly problems: number;
  /** Of b − a. */
  readonly mean_difference: number;
  readonly median_difference: number;
  /** 95 %, over problems: of these two checkpoints on other problems; null below six. */
  readonly interval: KlInterval | null;
  /** Wilcoxon signed rank, two-sided; exact to 25 problems that differ. */
  readonly statistic: number | null;
  readonly p_value: number | null;
  /** Holm's correction over all comparisons. */
  readonly adjusted_p_value: number | null;
  readonly rank_biserial: number | null;
  readonly significant: boolean;
}

export interface KlCorrelation {
  readonly checkpoint: string;
  /** What a problem's mean KL (or spikes) is correlated with. */
  readonly with: "correctness" | "outcome" | "level" | "response_length" | "reference_entropy";
  readonly of: "mean_kl" | "spikes";
  readonly method: "spearman" | "point-biserial";
  readonly problems: number;
  readonly coefficient: number;
  readonly interval: KlInterval | null;
  readonly p_value: number;
  /** Benjamini-Hochberg over all correlations. */
  readonly adjusted_p_value: number;
  readonly significant: boolean;
}

/** KL by whether a text is right, and by what it does. */
export interface CorrectnessFigures {
  readonly checkpoint: string;
  readonly wrong_texts: GroupKl | null;
  readonly right_texts: GroupKl | null;
  /** Wrong against right texts; paired (Wilcoxon) where the same problems have both, else Mann-Whitney. */
  readonly test: {
    readonly method: "wilcoxon" | "mann-whitney";
    readonly p_value: number;
    readonly adjusted_p_value: number;
    readonly rank_biserial: number;
    readonly n: number;
  } | null;
  /**
   * KL of tokens where the checkpoint moves the way one wants: on wrong texts (from the first error on, where that is
   * known) away from the forced token, on right texts (and before the error) towards it. Per token, over all tokens of
   * texts whose correctness is known.
   */
  readonly good_kl: number | null;
  readonly bad_kl: number | null;
  /** good / (good + bad). */
  readonly good_share: number | null;
  /** Problems that the checkpoint itself solves and does not; null where its own answers are not known. */
  readonly solved: GroupKl | null;
  readonly unsolved: GroupKl | null;
}

export interface GroupKl {
  readonly problems: number;
  readonly texts: number;
  readonly mean_kl: number;
  readonly std_kl: number;
  readonly spikes_mean: number;
  readonly mean_delta: number | null;
}

export interface FirstErrorFigures {
  readonly checkpoint: string;
  /** Wrong texts whose first error is known. */
  readonly texts: number;
  /** So many tokens before the one that announces the error, and behind the first wrong one, count as at the error. */
  readonly window: number;
  /** Share of texts with a spike at the error. */
  readonly spike_at_error: number;
  /** Those that announce another result besides the wrong one: only they can be tested. */
  readonly tested: number;
  /** Share of the tested ones with a spike at the error. */
  readonly tested_at_error: number | null;
  /** The same, expected if the error were any one of the results that its text announces. */
  readonly expected: number | null;
  /** One-sided, exact: the error moved among its text's announced results. */
  readonly p_value: number | null;
  readonly adjusted_p_value: number | null;
  readonly kl_at_error: number | null;
  readonly kl_elsewhere: number | null;
  /** Tokens from the error to the nearest spike, negative before, 0 within; median over texts. */
  readonly median_distance: number | null;
  /** Share of spikes at or after the error. */
  readonly spikes_after: number | null;
}

/**
 * Attention to the tokens of a text's first error, from the `=` that announces it to the first wrong one, of the
 * positions behind it that predict the policy's own tokens. Shares are of all attention of such a position, mean over
 * layers and heads, then over tokens, texts and problems.
 */
export interface AttentionFigures {
  readonly checkpoint: string;
  /** Wrong texts whose first error is known, with tokens after it. */
  readonly texts: number;
  readonly problems: number;
  readonly to_error: number;
  readonly reference_to_error: number;
  /** To as many tokens right before the error; null where no text has them. */
  readonly to_control: number | null;
  readonly reference_to_control: number | null;
  /** `to_error` − `reference_to_error`. */
  readonly difference: PairedDifference;
  readonly control_difference: PairedDifference | null;
  /** Spearman over problems: `difference` with mean KL of the tokens after the error. */
  readonly with_kl: RankCorrelation | null;
  /** The checkpoint's head whose share is largest, mean over texts; counted from 0. */
  readonly strongest_head: {
    readonly layer: number;
    readonly head: number;
    readonly share: number;
    readonly reference_share: number;
  } | null;
  /** Null where the models do not allow it. */
  readonly hidden: HiddenFigures | null;
}

/** D(checkpoint‖reference) of the tokens after the error when they cannot attend to some tokens, under both. */
export interface HiddenFigures {
  readonly problems: number;
  /** Nothing hidden. */
  readonly kl: number;
  readonly kl_without_error: number;
  /** As many tokens right before the error hidden instead; null where no text has them. */
  readonly kl_without_control: number | null;
  /** `kl_without_error` − `kl`. */
  readonly difference: PairedDifference;
  /** `kl_without_error` − `kl_without_control`. */
  readonly against_control: PairedDifference | null;
}

/** Spearman over problems. */
export interface RankCorrelation {
  readonly problems: number;
  readonly coefficient: number;
  readonly interval: KlInterval | null;
  readonly p_value: number;
  /** Holm's correction over the rows of its table; the p-value itself where nothing is corrected. */
  readonly adjusted_p_value: number;
}

/** A mean difference, paired by problem. */
export interface PairedDifference {
  readonly problems: number;
  readonly mean: number;
  /** 95 %, over problems; null below six. */
  readonly interval: KlInterval | null;
  /** Wilcoxon signed rank, two-sided; null below six problems that differ, exact to 25. */
  readonly p_value: number | null;
  /** Holm's correction over checkpoints. */
  readonly adjusted_p_value: number | null;
  readonly rank_biserial: number | null;
  readonly significant: boolean;
}

/**
 * Gradient times input of D(checkpoint‖reference) at the largest spikes behind a text's first error, with respect to every
 * token before them: the rate at which the KL changes when that token's embeddings are scaled under both policies. Shares
 * are of Σ |gradient × input| over all those tokens, mean over spikes, then over texts and problems.
 */
export interface GradientFigures {
  readonly checkpoint: string;
  /** Wrong texts whose first error is known and has a spike behind it. */
  readonly texts: number;
  readonly problems: number;
  readonly spikes: number;
  /** On the tokens from the `=` that announces the error to the first wrong one. */
  readonly to_error: number;
  /** On as many tokens right before the error; null where no text has them. */
  readonly to_control: number | null;
  /** The error's share of the tokens themselves: what an even spread would give. */
  readonly even: number;
  /** Σ gradient × input over the error's tokens, nats: above 0, the KL would fall if they weighed less. */
  readonly at_error: number;
  /** `to_error` − `to_control`. */
  readonly against_control: PairedDifference | null;
}

/** Outcomes under the forced rollout, from one place of the wrong texts. Shares are means over samples, texts, problems. */
export interface ContinuationFigures {
  readonly checkpoint: string;
  /** `start`, `before_error`, `after_error`, or a share of the response such as `0.5`. */
  readonly place: string;
  readonly texts: number;
  readonly problems: number;
  /** Of the checkpoint, over all texts. */
  readonly samples: number;
  /** Share of the response that is forced. */
  readonly forced_share: number;
  /** Share of the continuations whose final answer is right. */
  readonly right: number;
  /** The reference's, on the texts that it continued, too. */
  readonly reference_right: number | null;
  /** Share of the continuations that state no final answer; they are not right. */
  readonly unanswered: number;
  /** `right` − `reference_right`. */
  readonly difference: PairedDifference | null;
  /** `difference` with the text's mean KL; not corrected. */
  readonly with_kl: RankCorrelation | null;
}

/** What one policy made of one text from one place. */
export interface CaseContinuation {
  readonly policy: string;
  readonly place: string;
  /** Response tokens that were forced. */
  readonly position: number;
  readonly samples: number;
  readonly right: number;
  readonly unanswered: number;
  /** What the first sample wrote. */
  readonly response: string;
}

export interface SpikeRange {
  /** `0`, `1-5`, `6-10`, `>10`. */
  readonly range: string;
  readonly problems: number;
  readonly share: number;
}

export interface TopProblems {
  readonly by_spikes: readonly ProblemFigures[];
  readonly by_mean_kl: readonly ProblemFigures[];
}

export interface ProblemFigures {
  readonly problem: string;
  readonly spikes: number;
  readonly mean_kl: number;
}

export interface TokenFigures {
  /** The token's text. */
  readonly token: string;
  readonly category: string;
  readonly count: number;
  readonly spikes: number;
  readonly mean_kl: number;
  readonly share_of_kl: number;
  /** Mean of log p_checkpoint − log p_reference. */
  readonly mean_delta: number | null;
  readonly problems: number;
}

/** An earlier token that the KL at a spike depends on. */
export interface SpikeDependence {
  /** Response token; below 0 in the prompt, −1 being its last token. */
  readonly position: number;
  readonly token: string;
  /** Nats: above 0, the KL would fall if the token weighed less. */
  readonly gradient_times_input: number;
  /** Of Σ |gradient × input| over all tokens before the spike. */
  readonly share: number;
}

export interface KlAlternative {
  readonly token: string;
  readonly token_id: number;
  readonly probability: number;
}

/** One spike. */
export interface SpikeFigures {
  /** `q12.t40`: text number in the study, response token. */
  readonly handle: string;
  readonly text: string;
  readonly problem: string;
  readonly position: number;
  readonly region: Region;
  readonly token: string;
  readonly category: string;
  readonly kl: number;
  readonly zscore: number;
  readonly probability: number | null;
  readonly reference_probability: number | null;
  readonly before: string;
  readonly after: string;
  /** The most probable tokens of the checkpoint and of the reference. */
  readonly alternatives: readonly KlAlternative[];
  readonly reference_alternatives: readonly KlAlternative[];
  /** The earlier tokens that its KL depends on most, largest first; null where its gradients are not known. */
  readonly depends_on: readonly SpikeDependence[] | null;
  /** The first checkpoint at which this token has half of this KL, and keeps it. */
  readonly since: string | null;
}

/** One text over all checkpoints: the token strip and the heat-map. */
export interface CaseStudy {
  readonly handle: string;
  readonly text: string;
  readonly problem: string;
  /** Why this one. */
  readonly reason: string;
  readonly source: string | null;
  readonly correct: boolean | null;
  readonly subject: string | null;
  readonly level: number | null;
  readonly prompt_text: string | null;
  readonly tokens: readonly string[];
  readonly mask: readonly number[];
  readonly categories: readonly string[];
  /** Names of the rows of `kl`. */
  readonly checkpoints: readonly string[];
  /** `[checkpoints][tokens]`; null where not known. */
  readonly kl: readonly (readonly (number | null)[])[];
  /** `[checkpoints][tokens]`: log p_checkpoint − log p_reference of the forced token. */
  readonly delta: readonly (readonly (number | null)[])[];
  /** Spikes of the last checkpoint. */
  readonly spikes: readonly SpikeFigures[];
  readonly error_token: number | null;
  /** Its continuations, by place and policy. */
  readonly continuations: readonly CaseContinuation[];
}

export interface KlAnswer {
  readonly question: string;
  readonly answer: string;
  /** Whether the data carry it: "yes", "no", "not enough data". */
  readonly support: "yes" | "no" | "not enough data" | "descriptive";
}
