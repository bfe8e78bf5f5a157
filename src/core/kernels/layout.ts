/**
 * The sums of one pass over rollout, trainer and mask: one Float64Array of {@link FIELDS} numbers per sequence, per
 * turn, or per anything they are merged into with `mergeSums`.
 *
 * Over the tokens with mask 1 whose two log-probs are finite: Δ = trainer − rollout (nats), ρ = exp Δ, p =
 * exp(rollout), p' = exp(trainer), Δp = p' − p. Means come with M2 = Σ(x − mean)², the form that merges without
 * cancellation (Chan, Golub, LeVeque 1979). Small quantities are stored, not differences of large ones: ρ − 1 instead
 * of ρ, 1 − p instead of p, k3 as a series near 0.
 *
 * @module
 */

/** Tokens with mask 1 and both log-probs finite. */
export const COUNT = 0;
export const DELTA_MEAN = 1;
export const DELTA_M2 = 2;
/** +Infinity while COUNT is 0. */
export const DELTA_MIN = 3;
/** -Infinity while COUNT is 0. */
export const DELTA_MAX = 4;
export const ABS_DELTA_SUM = 5;
export const POSITIVE_COUNT = 6;
/** Σ Δ over Δ > 0. */
export const POSITIVE_SUM = 7;
export const NEGATIVE_COUNT = 8;
/** Σ Δ over Δ < 0, so ≤ 0. */
export const NEGATIVE_SUM = 9;
/** Σ (exp Δ − Δ − 1), Schulman's k3, http://joschu.net/blog/kl-approx.html. Unclamped. */
export const K3_SUM = 10;
/** Mean of ρ − 1 over tokens with Δ ≤ {@link RATIO_CLAMP}. */
export const EXCESS_MEAN = 11;
/** Scaled by another unit if every ρ is tiny, like RATIO_MEAN (`ratio-units.ts`). */
export const EXCESS_M2 = 12;
/**
 * Tokens with Δ > {@link RATIO_CLAMP}, kept separate so that both the trainers' clamp at ±20 and the true value can be
 * computed.
 */
export const OVER_COUNT = 13;
/** Σ (ρ − 1) and Σ (ρ − 1)² over the tokens of OVER_COUNT; scaled by another unit if ρ is huge (`ratio-units.ts`). */
export const OVER_EXCESS_SUM = 14;
export const OVER_EXCESS_SQUARE_SUM = 15;
/** Tokens with two probabilities: COUNT plus those where a log-prob is -Infinity and neither is NaN or +Infinity. */
export const PROB_COUNT = 16;
/** Mean and M2 of Δp over PROB_COUNT tokens, like all fields up to PROB_DIFF_RESIDUAL. */
export const PROB_DIFF_MEAN = 17;
export const PROB_DIFF_M2 = 18;
export const ABS_PROB_DIFF_MEAN = 19;
export const ABS_PROB_DIFF_M2 = 20;
/** 0 while PROB_COUNT is 0. */
export const ABS_PROB_DIFF_MAX = 21;
/** Mean of q = 1 − p, the rollout policy's probability of other tokens: exact if p is near 1. */
export const TAIL_MASS_MEAN = 22;
/** Σ (q − mean q)², which is also Σ (p − mean p)². */
export const TAIL_MASS_M2 = 23;
/** Mean of p: exact if p is near 0. */
export const PROB_MEAN = 24;
/** Least-squares slope of Δp on p; 0 if all p are equal. Σ (p − mean p)(Δp − mean Δp) = slope · TAIL_MASS_M2. */
export const PROB_DIFF_SLOPE = 25;
/**
 * Σ of the squared residuals of that fit. Kept instead of a co-moment because the correlation of p and p' follows from
 * it without subtraction, even if p' is almost a multiple of p (a constant Δ).
 */
export const PROB_DIFF_RESIDUAL = 26;
/** Σ of the rollout log-probs over COUNT tokens, nats; likewise the trainer's. */
export const ROLLOUT_SUM = 27;
export const TRAINER_SUM = 28;
/** Tokens with mask 1 left out of COUNT: Δ = -Infinity (only the trainer gives probability 0). */
export const NEGATIVE_INFINITE_COUNT = 29;
/** Δ = +Infinity (only the rollout policy gives probability 0). */
export const POSITIVE_INFINITE_COUNT = 30;
/** Either log-prob NaN or +Infinity, or both -Infinity. */
export const UNDEFINED_COUNT = 31;

/** Mean of ρ over tokens with Δ ≤ {@link RATIO_CLAMP}: EXCESS_MEAN + 1, but exact if ρ is near 0. */
export const RATIO_MEAN = 32;

/**
 * Number of fields in one vector of sums: in a table, row i starts at `i * FIELDS`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { deltaAbsMean, FIELDS, mismatchSums } from "logratio/kernels";
 *
 * const { rows } = mismatchSums({
 *   rollout: Float32Array.of(-1, -2),
 *   trainer: Float32Array.of(-1, -1.5),
 *   mask: Uint8Array.of(1, 1),
 *   offsets: Int32Array.of(0, 1, 2), // two sequences of one token
 * });
 * assert.equal(rows.length, 2 * FIELDS);
 * assert.equal(deltaAbsMean(rows, 1 * FIELDS), 0.5); // nats
 * ```
 */
export const FIELDS = 33;

/** verl and xtuner clamp log ratios to ±20 before exponentiating (verl rollout_corr_helper.py, SAFETY_BOUND). */
export const RATIO_CLAMP = 20;
