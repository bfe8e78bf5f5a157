/**
 * The result of `logratio kl`: what `--json` prints. Names are snake_case; KL, entropy and log-probs are in nats,
 * shares and probabilities are fractions of 1; null means unknown. Tokens are response tokens with mask 1 unless a
 * field says otherwise. A "problem mean" is the mean over a problem's tokens (over its texts, if it has several); "over
 * problems" means over those problem means. Formulas: `docs/kl.md`.
 *
 * @module
 */
import type { Finding } from "../../core/schema/index.ts";
import type {
  CategoryFigures,
  CheckpointFigures,
  KlInterval,
  Progression,
  SpikeRange,
} from "./checkpoints.ts";
import type { PolicyRole, SpikeMethod } from "./names.ts";
import type { CaseStudy, ListedSpike, SpikeFigures, TokenFigures } from "./texts.ts";
import type {
  AttentionFigures,
  ContinuationFigures,
  CorrectnessFigures,
  FirstErrorFigures,
  GradientFigures,
} from "./wrong-texts.ts";

export const KL_SCHEMA_VERSION = 1;

/** With fewer problems there is no interval: their spread says next to nothing about others. */
export const FEWEST_INTERVAL_PROBLEMS = 6;

/** What `logratio kl` prints with `--json`: what training changed, token by token. */
export interface KlReport {
  /** Version of this format; increased when a field changes its meaning or is removed. */
  readonly schemaVersion: typeof KL_SCHEMA_VERSION;
  /** The kind of result. */
  readonly kind: "kl";
  /** The study's name in the config, else its directory. */
  readonly study: string;
  /** Name of the policy that every checkpoint is compared with. */
  readonly reference: string;
  /** How scores were analyzed: spikes, categories, significance, seed. */
  readonly settings: KlSettings;
  /** The last checkpoint's figures and the size of the study. */
  readonly metrics: KlMetrics;
  /** By name, the reference among them: where each ran, and what its log-probs are. */
  readonly policies: Readonly<Record<string, KlPolicy>>;
  /** By name, in training order: baselines first, then by step. */
  readonly checkpoints: Readonly<Record<string, CheckpointFigures>>;
  /** By checkpoint, then category. */
  readonly categories: Readonly<Record<string, Readonly<Record<string, CategoryFigures>>>>;
  /** Null for fewer than two checkpoints that have a step. */
  readonly progression: Progression | null;
  /** Pairs other than checkpoint against reference. */
  readonly pairs: readonly PairFigures[];
  /** Tests of two checkpoints on the same problems. */
  readonly comparisons: readonly KlComparison[];
  /** Of problems: their KL or spikes with what else is known of them. */
  readonly correlations: readonly KlCorrelation[];
  /** Figures of right and of wrong texts; empty if correctness is unknown. */
  readonly correctness: readonly CorrectnessFigures[];
  /** The first real error of wrong texts against the spikes; empty if no error is known. */
  readonly first_errors: readonly FirstErrorFigures[];
  /** Attention to the first error of wrong texts; empty if no attention is known. */
  readonly attention: readonly AttentionFigures[];
  /** What the KL at spikes after the first error of wrong texts depends on; empty if no gradients are known. */
  readonly gradients: readonly GradientFigures[];
  /**
   * How often the right answer follows when a policy continues freely from within a wrong text; empty if nothing was
   * sampled.
   */
  readonly continuations: readonly ContinuationFigures[];
  /** By checkpoint. */
  readonly spike_distribution: Readonly<Record<string, readonly SpikeRange[]>>;
  /** By checkpoint: problems with the most spikes, and with the most KL. */
  readonly top_problems: Readonly<Record<string, TopProblems>>;
  /** Tokens by text at the last checkpoint, most KL first. */
  readonly top_tokens: readonly TokenFigures[];
  /** The largest spikes at the last checkpoint. */
  readonly top_spikes: readonly SpikeFigures[];
  /**
   * Every spike of every text, by checkpoint, in the order of the texts and of their tokens; null unless requested
   * (`--spikes all`). A checkpoint's list is as long as its `spikes_total`.
   */
  readonly all_spikes: Readonly<Record<string, readonly ListedSpike[]>> | null;
  /** Texts over all checkpoints, token by token. */
  readonly cases: readonly CaseStudy[];
  /** The short answers: at which tokens, of which kind, since which checkpoint, and whether a test supports it. */
  readonly answers: readonly KlAnswer[];
  /** What these figures do not show, as far as it applies here. */
  readonly caveats: readonly string[];
  /** Figures that are null or empty, and why; one line each. */
  readonly absent: readonly string[];
  /** Findings from scoring and reading, including what was left out. */
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
  /** The token that a value is about: the one at its position or, in RL-Probe's alignment, the next. */
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
  /** Mean of b − a. */
  readonly mean_difference: number;
  readonly median_difference: number;
  /** 95 %, over problems: the range for these two checkpoints on other problems; null for fewer than six. */
  readonly interval: KlInterval | null;
  /**
   * Wilcoxon's signed-rank test, two-sided, of the median change, not of `mean_difference`; exact for up to 25 problems
   * that differ.
   */
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

export interface TopProblems {
  readonly by_spikes: readonly ProblemFigures[];
  readonly by_mean_kl: readonly ProblemFigures[];
}

export interface ProblemFigures {
  readonly problem: string;
  readonly spikes: number;
  readonly mean_kl: number;
}

export interface KlAnswer {
  readonly question: string;
  readonly answer: string;
  /** Whether the data support it: "yes", "no", "not enough data". */
  readonly support: "yes" | "no" | "not enough data" | "descriptive";
}
