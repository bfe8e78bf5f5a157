/**
 * The neutral form of a correction, under every trainer's own: which importance weight a token gets, and an ordered
 * list of steps that clamp it, zero it, or take tokens out of the response mask. Weights and rejection are two
 * separate things: `truncate`, `zero` and `normalize` change weights, `mask` and `veto` change the mask.
 *
 * @module
 */

/**
 * What a value belongs to: a token with mask 1, a turn (a contiguous run of mask 1 in a sequence), or a sequence.
 * The field's "geometric" level is `sequence` with aggregation `mean` of the log-ratio.
 */
export const LEVELS = ["token", "turn", "sequence"] as const;
/** What one ratio is taken over: a token, a turn (a run of the policy's own tokens), or a whole sequence. */
export type Level = (typeof LEVELS)[number];

/** How token values become one of a turn or sequence, over its tokens with mask 1; 0 when there are none. */
export type Aggregation = "sum" | "mean" | "max";

/**
 * A figure of one token, from Δ = log p_trainer − log p_rollout (nats):
 *
 * * `ratio`: ρ = exp Δ. Aggregated in log space: `sum` is the product of ratios, `mean` their geometric mean.
 * * `error_ratio`: exp |Δ|, NeMo-RL's multiplicative probability error; aggregated as it is.
 * * `ratio_distance`: |ρ − 1|; aggregated as it is, its mean estimates twice the total variation distance.
 * * `k1`: −Δ, `k2`: Δ²/2, `k3`: exp Δ − 1 − Δ, `k3_reverse`: exp(−Δ) − 1 + Δ (k3 with the policies swapped); nats.
 * * `prob_diff`: exp(trainer) − exp(rollout), a fraction; `abs_prob_diff`: its absolute value.
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
] as const;
/** What a rule measures of a token's two log-probs; ratios without unit, k1, k2 and k3 in nats, probabilities as fractions. */
export type Statistic = (typeof STATISTICS)[number];

/** A figure to hold against bounds. */
export interface Measure {
  /** What is measured of each token. */
  readonly statistic: Statistic;
  /** What one value belongs to. */
  readonly level: Level;
  /** Without meaning at token level. */
  readonly aggregation: Aggregation;
  /** Δ of each token is clamped to ± this many nats first; not clamped when absent. */
  readonly deltaBound?: number;
  /** Over what earlier steps left of the mask; over the original mask when absent. Without meaning at token level. */
  readonly over?: "kept";
}

/** Inclusive; a side that is absent does not bind. In the measure's own unit: `k1` bounds are nats, not ratios. */
export interface Bounds {
  /** Smallest value that is within; none when absent. */
  readonly lower?: number;
  /** Largest value that is within; none when absent. */
  readonly upper?: number;
}

/** A rule that only rejects where the advantage has this sign (a turn's or sequence's is the mean of its tokens'). */
export type AdvantageSign = "positive" | "negative" | "not positive";

/** Clamps the weight. */
export interface Truncate extends Bounds {
  /** Tells steps apart. */
  readonly action: "truncate";
}

/**
 * Whatever is outside the bounds, NaN included, loses its weight (`zero`: still counted in the loss's denominator) or
 * its mask (`mask`: not counted). A turn or sequence is rejected whole.
 */
export interface Reject extends Bounds {
  /** `zero` takes the weight, `mask` the mask. */
  readonly action: "zero" | "mask";
  /** `weight`: the weight itself, at its own level, as it is when the step is reached. */
  readonly measure: Measure | "weight";
  /** Only where the advantage has this sign; everywhere when absent. */
  readonly when?: AdvantageSign;
  /**
   * Of what is outside, only tokens whose advantage has the sign of their Δ are rejected: those whose update takes the
   * two policies further apart.
   */
  readonly only?: "diverging tokens";
  /** `kept`: NaN is not outside, as where the trainer asks `x < lower or x > upper`. */
  readonly nan?: "kept";
}

/** A sequence with any token outside the bounds is masked whole. NaN is not outside. */
export interface Veto extends Bounds {
  /** Tells steps apart. */
  readonly action: "veto";
  /** What of each token is held against the bounds. */
  readonly measure: Measure & { readonly level: "token" };
}

/**
 * Divides weights by their mean: over tokens with mask 1, over sequences that have any, or over every sequence, one
 * without any counting as 0.
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
  /** What one ratio is taken over. */
  readonly level: Level;
  /** `sum` of log-ratios is a product of ratios, `mean` their geometric mean. */
  readonly aggregation: "sum" | "mean";
  /** The aggregated log-ratio is clamped to ± this many nats before exp; not clamped when absent. */
  readonly logBound?: number;
  /** Δ of each token is clamped to ± this many nats before it is aggregated; not clamped when absent. */
  readonly deltaBound?: number;
  /**
   * Over what the steps before the first one on weights left of the mask; over the original mask when absent. Without
   * meaning at token level.
   */
  readonly over?: "kept";
}

/** A correction in the neutral form: a weight, and steps in order. */
export interface Correction {
  /** Absent: no importance sampling, every weight is 1. */
  readonly weight?: Weight;
  /** In order. Measured over the original response mask, whatever earlier steps took out, unless a step says `over`. */
  readonly steps: readonly Step[];
}

/** True when a step of the correction looks at advantages. */
export function needsAdvantages({ steps }: Correction): boolean {
  return steps.some(
    (step) => (step.action === "zero" || step.action === "mask") && (step.when ?? step.only) !== undefined,
  );
}
