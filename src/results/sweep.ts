/**
 * The result of `logratio sweep`: what `--json` prints. Names are snake_case; log quantities are in nats, shares are
 * fractions of 1; null is "not known". Tokens are those with mask 1 and a finite Δ; a token is *kept* when its final
 * mask is 1 and its final weight is not 0, a sequence when it has a kept token.
 *
 * @module
 */
import type { Finding } from "../core/schema/index.ts";
import type { Assessment, CorrectionNeed } from "./assessment.ts";
import type { ExcludedTokens, SourceSummary } from "./report.ts";

export const SWEEP_SCHEMA_VERSION = 3;

/** What `logratio sweep` prints with `--json`: many corrections on the same data. */
export interface SweepReport {
  /** Version of this format; increased when a field changes its meaning or is removed. */
  readonly schemaVersion: typeof SWEEP_SCHEMA_VERSION;
  /** The kind of result. */
  readonly kind: "sweep";
  /** Name of the run. */
  readonly run: string;
  /** The answer about the run, as in `report`; null if the sweep was made without one. */
  readonly assessment: Assessment | null;
  /** Properties of the data, whatever the correction. */
  readonly metrics: SweepMetrics;
  /** In the order of the grid; `none` is the first. */
  readonly corrections: readonly SweepCorrection[];
  /** Corrections that could not be evaluated on this data, and why. */
  readonly skipped_corrections: readonly { readonly name: string; readonly why: string }[];
  /** Figures that are entirely null, and why; one line each. */
  readonly absent: readonly string[];
  /**
   * Pareto front of ESS over tokens, weight mass moved and |log mean weight|: names, from the least mass moved to the most.
   */
  readonly front: readonly string[];
  /** The recommended correction, and why. */
  readonly recommendation: SweepRecommendation;
  /** Name of the correction that `configs` is about: the recommended one unless another was chosen. */
  readonly chosen: string;
  /** The chosen correction as each trainer's config. */
  readonly configs: readonly SweepConfig[];
  /** Trainers that have no settings for exactly the chosen correction. */
  readonly inexpressible: readonly {
    readonly trainer: string;
    readonly preset: string;
    readonly why: string;
  }[];
  /** Tokens with mask 1 in none of the figures. */
  readonly excluded: ExcludedTokens;
  /** Findings from reading, including what was left out. */
  readonly findings: readonly Finding[];
  /** The files that were read. */
  readonly sources: readonly SourceSummary[];
}

/** Properties of the data, whatever the correction. */
export interface SweepMetrics {
  readonly sequences: number;
  readonly sequences_empty: number;
  readonly tokens: number;
  readonly turns_max: number;
  /** GRPO groups (step and group id); null if the source names none. */
  readonly groups: number | null;
  /** Number of corrections evaluated. */
  readonly corrections: number;
  readonly front: number;
  readonly delta_mean: number;
  readonly delta_std: number;
  /** ESS of the token ratios ρ: (Σρ)² / (n Σρ²). */
  readonly ess: number;
  /** ESS of the sequences' product ratios exp ΣΔ, with ΣΔ clamped to ±20; a fraction of the sequences. */
  readonly ess_seq: number;
  /** Share of tokens with ρ outside [1/2, 2], to the resolution of a sketch of Δ (2.0004). */
  readonly ratio_outside: number;
  readonly reward_mean: number | null;
  readonly accuracy: number | null;
}

export interface SweepCorrection {
  readonly name: string;
  /** As in `--correction` and the page's address: `weight:token truncate:..2`. */
  readonly correction_text: string;
  /** The rule in words. */
  readonly rule: string;
  /** For a trainer's own settings: which preset, and the settings as given. */
  readonly preset: { readonly name: string; readonly settings: Readonly<Record<string, unknown>> } | null;
  readonly tokens_kept: number;
  readonly tokens_kept_share: number;
  readonly sequences_kept: number;
  readonly sequences_kept_share: number;
  /**
   * 1 − Σ weights of kept tokens / Σ raw weights of all tokens: what truncation and dropping remove. Raw means before
   * any step. Weights are taken before `normalize`. A correction without weights counts ρ of each token in both sums.
   * Negative if a lower clamp adds more than is removed.
   */
  readonly mass_lost: number;
  /** Σ |weight − raw weight| / Σ raw weights, with weight 0 for dropped tokens: what is removed plus what is added. */
  readonly mass_moved: number;
  /**
   * (Σw)² / (n Σw²) over all tokens, with w = 0 for dropped ones; normalized weights if the correction normalizes. A
   * correction without weights uses w = ρ of the kept tokens: how evenly they represent the trainer policy.
   */
  readonly ess_tokens: number;
  /** The same over sequences with the mean of w over each sequence's tokens. */
  readonly ess_sequences: number;
  /** Mean of the weights that multiply the loss, over kept tokens, and so the gradient's scale: 1 without weights. */
  readonly weight_mean: number;
  readonly weight_max: number;
  /** Share of tokens whose weight was clamped. */
  readonly truncated_share: number;
  readonly dropped: DroppedPart;
  /** Budget of the kept tokens; null with fewer than two sequences. */
  readonly token_budget: TokenBudget | null;
  readonly on_front: boolean;
}

/** What is dropped. Means are over tokens; a token has its sequence's reward. */
export interface DroppedPart {
  readonly tokens: number;
  readonly tokens_share: number;
  readonly sequences: number;
  readonly sequences_share: number;
  readonly reward_kept: number | null;
  readonly reward_dropped: number | null;
  /** (mean reward of the kept − mean of all) / standard deviation of all. */
  readonly reward_shift: number | null;
  readonly accuracy_kept: number | null;
  readonly accuracy_dropped: number | null;
  readonly accuracy_shift: number | null;
  /** Share dropped among tokens with a positive, negative and zero advantage. */
  readonly by_advantage: {
    readonly positive: number | null;
    readonly negative: number | null;
    readonly zero: number | null;
  } | null;
  /** Quarters of the sequences by length, edges to 19 %. */
  readonly by_length: readonly DroppedGroup[];
  /** By turn, from 0; the last one may stand for all later ones (`to` is then null). */
  readonly by_turn: readonly DroppedGroup[];
  /** GRPO groups without a kept sequence. */
  readonly groups_lost: number | null;
}

/** Share dropped among tokens whose length or turn is in `[from, to]`. */
export interface DroppedGroup {
  readonly from: number;
  readonly to: number | null;
  readonly tokens: number;
  readonly dropped_share: number;
}

/** How long a sequence may be before the product of its ratios becomes useless; formulas in `analyses/sweep/token-budget.ts`. */
export interface TokenBudget {
  readonly delta_mean: number;
  /** σ² within sequences, τ² of the sequences' means. */
  readonly delta_variance_within: number;
  readonly delta_variance_between: number;
  /** Tokens at which the ESS of product weights falls to one half. */
  readonly ess_half: number;
  /** Tokens at which a product one standard deviation out leaves [1/2, 2]. */
  readonly in_bounds: number;
  readonly sequence_length_mean: number;
  /** The ESS of product weights that the model predicts at the mean length. */
  readonly ess_at_mean_length: number;
}

export interface SweepRecommendation {
  /** `none needed`: the correction is a safety net; `none fits`: every one breaks a limit, and the mildest is named. */
  readonly kind: "none needed" | "recommended" | "none fits";
  /**
   * The same as in a report on the same data (`assessment.correction`); `none` corresponds to the kind `none needed`.
   */
  readonly need: CorrectionNeed;
  /** Name of the correction, as in `corrections`. */
  readonly name: string;
  /** Sentences, most important first. */
  readonly reasons: readonly string[];
}

export interface SweepConfig {
  readonly trainer: string;
  readonly preset: string;
  readonly language: string;
  readonly place: string;
  readonly text: string;
  readonly traps: readonly string[];
}
