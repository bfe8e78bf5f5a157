/**
 * The neutral form of a correction, to which every trainer's own form maps: the importance weight of a token, and an
 * ordered list of steps that clamp it, zero it, or remove tokens from the response mask. Weights and rejection are
 * separate: `truncate`, `zero` and `normalize` change weights, `mask` and `veto` change the mask.
 *
 * @module
 */
import type { ProbGuards } from "./binary-kl.ts";

/**
 * The unit of a value: a token with mask 1, a turn (a contiguous run of mask 1 in a sequence), or a sequence. The
 * field's "geometric" level is `sequence` with aggregation `mean` of the log-ratio.
 */
export const LEVELS = ["token", "turn", "sequence"] as const;
/** The unit of a ratio: a token, a turn (a run of the policy's own tokens), or a whole sequence. */
export type Level = (typeof LEVELS)[number];

/** How the values of a turn's or sequence's tokens with mask 1 are aggregated; 0 without such tokens. */
export type Aggregation = "sum" | "mean" | "max";

/**
 * A figure of one token, from Δ = log p_trainer − log p_rollout (nats):
 *
 * * `ratio`: ρ = exp Δ. Aggregated in log space: `sum` is the product of ratios, `mean` their geometric mean.
 * * `error_ratio`: exp |Δ|, NeMo-RL's multiplicative probability error; aggregated as it is.
 * * `ratio_distance`: |ρ − 1|; aggregated as it is, its mean estimates twice the total variation distance.
 * * `k1`: −Δ, `k2`: Δ²/2, `k3`: exp Δ − 1 − Δ, `k3_reverse`: exp(−Δ) − 1 + Δ (k3 with the policies swapped); nats.
 * * `prob_diff`: exp(trainer) − exp(rollout), a fraction; `abs_prob_diff`: its absolute value, the total variation
 *   distance of the coins "this token" against "any other".
 * * `binary_kl`: kl(rollout ‖ trainer) of these coins, nats, the direction that k3 estimates; `binary_kl_reverse`:
 *   kl(trainer ‖ rollout).
 */
export const STATISTICS = [
  "ratio",
  "error_ratio",
  "ratio_distance",
  "k1",
  "k2",
  "k3",
  "k3_reverse",
  "prob_diff",
  "abs_prob_diff",
  "binary_kl",
  "binary_kl_reverse",
] as const;
/**
 * What a rule computes from a token's two log-probs; ratios without unit, k1, k2 and k3 in nats, probabilities as
 * fractions.
 */
export type Statistic = (typeof STATISTICS)[number];

/** A statistic of one token, with the bounds on what it is computed from. */
export interface Figure extends ProbGuards {
  /** The statistic of each token. */
  readonly statistic: Statistic;
  /**
   * Δ of each token is clamped to ± this many nats first; not clamped when absent. Without effect on statistics of
   * probabilities ({@link needsProbs}).
   */
  readonly deltaBound?: number;
}

/** A figure to compare with bounds. */
export interface Measure extends Figure {
  /** The unit of one value. */
  readonly level: Level;
  /** Has no meaning at token level. */
  readonly aggregation: Aggregation;
  /** Computed over the mask that earlier steps left; over the original mask when absent. Ignored at token level. */
  readonly over?: "kept";
}

/** Whether a statistic depends on the probabilities themselves, not on Δ alone. */
export function needsProbs(statistic: Statistic): boolean {
  return statistic.includes("prob_diff") || isBinaryKl(statistic);
}

/** Whether a statistic is a binary KL, the only ones with {@link ProbGuards}. */
export function isBinaryKl(statistic: Statistic): statistic is "binary_kl" | "binary_kl_reverse" {
  return statistic === "binary_kl" || statistic === "binary_kl_reverse";
}

/** Inclusive bounds; an absent side does not bind. In the measure's own unit: `k1` bounds are nats, not ratios. */
export interface Bounds {
  /** Smallest value within the bounds; none when absent. */
  readonly lower?: number;
  /** Largest value within the bounds; none when absent. */
  readonly upper?: number;
}

/** Restricts a rule to advantages of this sign (for a turn or sequence, the mean of its tokens'). */
export type AdvantageSign = "positive" | "negative" | "not positive";

/** Clamps the weight. */
export interface Truncate extends Bounds {
  /** Tells steps apart. */
  readonly action: "truncate";
}

/**
 * Anything outside the bounds, including NaN, loses its weight (`zero`: still counted in the loss's denominator) or
 * its mask (`mask`: not counted). A turn or sequence is rejected as a whole.
 */
export interface Reject extends Bounds {
  /** `zero` removes the weight, `mask` the mask. */
  readonly action: "zero" | "mask";
  /** `weight` is the current weight itself, at its own level. */
  readonly measure: Measure | "weight";
  /** Only where the advantage has this sign; everywhere when absent. */
  readonly when?: AdvantageSign;
  /**
   * Rejects only tokens whose advantage has the sign of their Δ: those whose update moves the two policies further
   * apart.
   */
  readonly only?: "diverging tokens";
  /** `kept`: NaN is not outside, as in trainers that test `x < lower or x > upper`. */
  readonly nan?: "kept";
}

/** Masks the whole sequence if any of its tokens is outside the bounds. NaN is not outside. */
export interface Veto extends Bounds {
  /** Tells steps apart. */
  readonly action: "veto";
  /** The measure of each token that is compared with the bounds. */
  readonly measure: Measure & { readonly level: "token" };
}

/**
 * Divides weights by their mean: over tokens with mask 1, over sequences that have any, or over every sequence, where
 * one without any counts as 0.
 */
export interface Normalize {
  /** Tells steps apart. */
  readonly action: "normalize";
  /** What the mean is taken over. */
  readonly over: "token" | "sequence" | "every sequence";
}

/** One step of a correction. */
export type Step = Truncate | Reject | Veto | Normalize;

/** The importance weight before any step: exp of the log-ratio summed (product) or averaged (geometric) at a level. */
export interface Weight {
  /** The unit of one ratio. */
  readonly level: Level;
  /** `sum` of log-ratios is a product of ratios, `mean` their geometric mean. */
  readonly aggregation: "sum" | "mean";
  /** The aggregated log-ratio is clamped to ± this many nats before exp; not clamped when absent. */
  readonly logBound?: number;
  /** Δ of each token is clamped to ± this many nats before it is aggregated; not clamped when absent. */
  readonly deltaBound?: number;
  /**
   * Computed over the mask left by the steps before the first one on weights; over the original mask when absent.
   * Ignored at token level.
   */
  readonly over?: "kept";
}

/** A correction in the neutral form: a weight, and steps in order. */
export interface Correction {
  /** Absent: no importance sampling, every weight is 1. */
  readonly weight?: Weight;
  /**
   * Steps in order. They measure over the original response mask, whatever earlier steps removed, unless a step has
   * `over`.
   */
  readonly steps: readonly Step[];
}

/** True when a step of the correction depends on advantages. */
export function needsAdvantages({ steps }: Correction): boolean {
  return steps.some(
    (step) => (step.action === "zero" || step.action === "mask") && (step.when ?? step.only) !== undefined,
  );
}
