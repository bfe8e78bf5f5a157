/**
 * Figures from one sums vector of `layout.ts` (at `offset`, in a table of several). Means are NaN when no token
 * counts. Nats for anything of Δ, plain numbers for ρ and probabilities.
 *
 * @module
 */
import type { Fraction, Nats, Ratio } from "../base/units.ts";
import * as F from "./layout.ts";
import { inPlainUnits, overExcessSquareSum, overExcessSum, unitOf, withinExcessM2 } from "./ratio-units.ts";

/** Mean Δ. */
export function deltaMean(sums: Float64Array, offset = 0): Nats {
  return sums[offset + F.COUNT]! > 0 ? sums[offset + F.DELTA_MEAN]! : Number.NaN;
}

/** Population standard deviation of Δ. */
export function deltaStd(sums: Float64Array, offset = 0): Nats {
  return Math.sqrt(sums[offset + F.DELTA_M2]! / sums[offset + F.COUNT]!);
}

/**
 * Mean |Δ| over the tokens of one sums vector, nats.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { deltaAbsMean, mismatchSums } from "logratio/kernels";
 *
 * const { rows } = mismatchSums({
 *   rollout: Float32Array.of(-0.5, -1),
 *   trainer: Float32Array.of(-0.25, -1.5), // Δ = 0.25 and -0.5
 *   mask: Uint8Array.of(1, 1),
 *   offsets: Int32Array.of(0, 2),
 * });
 * assert(Math.abs(deltaAbsMean(rows) - 0.375) < 1e-6);
 * ```
 *
 * @param sums a vector of `FIELDS` sums, or a table of them
 * @param offset where in the table the vector begins: row × `FIELDS`
 * @returns nats; NaN if no token counts
 */
export function deltaAbsMean(sums: Float64Array, offset = 0): Nats {
  return sums[offset + F.ABS_DELTA_SUM]! / sums[offset + F.COUNT]!;
}

/**
 * k1 = mean (rollout − trainer) = −mean Δ, nats: an unbiased estimate of KL(rollout ‖ trainer).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { k1, mismatchSums } from "logratio/kernels";
 *
 * const { rows } = mismatchSums({
 *   rollout: Float32Array.of(-0.5, -1),
 *   trainer: Float32Array.of(-0.25, -1.5), // Δ = 0.25 and -0.5
 *   mask: Uint8Array.of(1, 1),
 *   offsets: Int32Array.of(0, 2),
 * });
 * assert(Math.abs(k1(rows) - 0.125) < 1e-6);
 * ```
 *
 * @param sums a vector of `FIELDS` sums, or a table of them
 * @param offset where in the table the vector begins: row × `FIELDS`
 * @returns nats; NaN if no token counts
 */
export function k1(sums: Float64Array, offset = 0): Nats {
  return -deltaMean(sums, offset);
}

/**
 * k2 = mean Δ² / 2, nats: a biased estimate of KL(rollout ‖ trainer) with little variance.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { k2, mismatchSums } from "logratio/kernels";
 *
 * const { rows } = mismatchSums({
 *   rollout: Float32Array.of(-0.5, -1),
 *   trainer: Float32Array.of(-0.25, -1.5), // Δ = 0.25 and -0.5
 *   mask: Uint8Array.of(1, 1),
 *   offsets: Int32Array.of(0, 2),
 * });
 * assert(Math.abs(k2(rows) - ((0.25 ** 2 + 0.5 ** 2) / 4)) < 1e-6);
 * ```
 *
 * @param sums a vector of `FIELDS` sums, or a table of them
 * @param offset where in the table the vector begins: row × `FIELDS`
 * @returns nats; NaN if no token counts
 */
export function k2(sums: Float64Array, offset = 0): Nats {
  const mean = deltaMean(sums, offset);
  return (mean * mean + sums[offset + F.DELTA_M2]! / sums[offset + F.COUNT]!) / 2;
}

/**
 * k3 = mean (exp Δ − Δ − 1), nats: an unbiased estimate of KL(rollout ‖ trainer) that is never negative,
 * http://joschu.net/blog/kl-approx.html.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { k3, mismatchSums } from "logratio/kernels";
 *
 * const { rows } = mismatchSums({
 *   rollout: Float32Array.of(-0.5, -1),
 *   trainer: Float32Array.of(-0.25, -1.5), // Δ = 0.25 and -0.5
 *   mask: Uint8Array.of(1, 1),
 *   offsets: Int32Array.of(0, 2),
 * });
 * assert(Math.abs(k3(rows) - ((Math.expm1(0.25) - 0.25 + Math.expm1(-0.5) + 0.5) / 2)) < 1e-6);
 * ```
 *
 * @param sums a vector of `FIELDS` sums, or a table of them
 * @param offset where in the table the vector begins: row × `FIELDS`
 * @returns nats; NaN if no token counts
 */
export function k3(sums: Float64Array, offset = 0): Nats {
  return sums[offset + F.K3_SUM]! / sums[offset + F.COUNT]!;
}

/** Mean and M2 of ρ over all tokens, in units of exp `unit` (nats) and of its square. */
interface RatioMoments {
  readonly mean: number;
  readonly m2: number;
  readonly unit: Nats;
}

function ratioMoments(sums: Float64Array, offset: number): RatioMoments {
  const unit = unitOf(sums, offset);
  return unit > 0 ? farMoments(sums, offset, unit) : { ...plainMoments(sums, offset), unit };
}

/** Next to a ρ of exp 300, those up to exp 20 contribute only to the count. */
function farMoments(sums: Float64Array, offset: number, unit: Nats): RatioMoments {
  const over = sums[offset + F.OVER_COUNT]!;
  const count = sums[offset + F.COUNT]!;
  const sum = sums[offset + F.OVER_EXCESS_SUM]!;
  const square = sums[offset + F.OVER_EXCESS_SQUARE_SUM]!;
  const overM2 = Math.max(square - (sum / over) * sum, 0);
  return { mean: sum / count, m2: overM2 + (sum / over) * sum * ((count - over) / count), unit };
}

function plainMoments(sums: Float64Array, offset: number): Omit<RatioMoments, "unit"> {
  const over = sums[offset + F.OVER_COUNT]!;
  const count = sums[offset + F.COUNT]!;
  if (count === 0) return { mean: Number.NaN, m2: Number.NaN };
  const m2 = sums[offset + F.EXCESS_M2]!;
  const excess = sums[offset + F.EXCESS_MEAN]!;
  if (over === 0) return { mean: sums[offset + F.RATIO_MEAN]!, m2 };
  const within = count - over;
  const overSum = sums[offset + F.OVER_EXCESS_SUM]!;
  const overSquare = sums[offset + F.OVER_EXCESS_SQUARE_SUM]!;
  const total = (within * excess + overSum) / count;
  const apart = overSum / over - excess;
  const overM2 = Math.max(overSquare - (overSum * overSum) / over, 0);
  return { mean: 1 + total, m2: m2 + overM2 + ((apart * apart * within) / count) * over };
}

/** Mean ρ; Infinity if it exceeds float64. */
export function ratioMean(sums: Float64Array, offset = 0): Ratio {
  const { mean, unit } = ratioMoments(sums, offset);
  return inPlainUnits(mean, unit);
}

/** Population standard deviation of ρ; Infinity if it exceeds float64. */
export function ratioStd(sums: Float64Array, offset = 0): Ratio {
  const { m2, unit } = ratioMoments(sums, offset);
  return inPlainUnits(Math.sqrt(m2 / sums[offset + F.COUNT]!), unit);
}

/** Chi-squared of the token ratios: mean ρ² − 1. May be negative, as estimates from samples can be. */
export function chi2Token(sums: Float64Array, offset = 0): number {
  const over = overExcessSquareSum(sums, offset) + 2 * overExcessSum(sums, offset);
  return (chi2Within(sums, offset) + over) / sums[offset + F.COUNT]!;
}

/** {@link chi2Token} with Δ clamped at RATIO_CLAMP, as verl computes it. */
export function chi2TokenClamped(sums: Float64Array, offset = 0): number {
  const over = sums[offset + F.OVER_COUNT]! * Math.expm1(2 * F.RATIO_CLAMP);
  return (chi2Within(sums, offset) + over) / sums[offset + F.COUNT]!;
}

/** Σ (ρ² − 1) = Σ ((ρ − 1)² + 2 (ρ − 1)) over the tokens within RATIO_CLAMP. */
function chi2Within(sums: Float64Array, offset: number): number {
  const within = sums[offset + F.COUNT]! - sums[offset + F.OVER_COUNT]!;
  const excess = sums[offset + F.EXCESS_MEAN]!;
  return withinExcessM2(sums, offset) + within * excess * (excess + 2);
}

/**
 * Effective sample size as a fraction of the tokens: (Σ ρ)² / (n Σ ρ²) = 1 / (1 + var ρ / mean² ρ), in (0, 1], for any
 * Δ, even if ρ or ρ² exceeds float64.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { effectiveSampleSize, mismatchSums } from "logratio/kernels";
 *
 * const { rows } = mismatchSums({
 *   rollout: Float32Array.of(-1, -1 - Math.log(3)),
 *   trainer: Float32Array.of(-1, -1), // ρ = 1 and 3
 *   mask: Uint8Array.of(1, 1),
 *   offsets: Int32Array.of(0, 2),
 * });
 * assert(Math.abs(effectiveSampleSize(rows) - 4 ** 2 / (2 * (1 + 9))) < 1e-6);
 * ```
 *
 * @param sums a vector of `FIELDS` sums, or a table of them
 * @param offset where in the table the vector begins: row × `FIELDS`
 * @returns a fraction; NaN if no token counts
 */
export function effectiveSampleSize(sums: Float64Array, offset = 0): Fraction {
  const { mean, m2 } = ratioMoments(sums, offset);
  const count = sums[offset + F.COUNT]!;
  return (mean * mean) / (mean * mean + m2 / count);
}

/** Standard deviation of |Δp|; `ddof` 1 (NaN for one token) is what torch and verl report. */
export function absProbDiffStd(sums: Float64Array, offset = 0, ddof: 0 | 1 = 0): number {
  return Math.sqrt(sums[offset + F.ABS_PROB_DIFF_M2]! / (sums[offset + F.PROB_COUNT]! - ddof));
}

/** A spread of p' below this share of p or p' is rounding. */
const SAME = 1e-15;

/**
 * 1 − r for the Pearson correlation r of p and p', to full relative accuracy even if it is tiny; in [0, 2]. NaN for
 * fewer than two tokens, or if either policy gives all tokens the same probability.
 *
 * From the regression of p' on p: slope b, residual sum of squares E, Σ (p' − mean)² = E + b² Σ (p − mean)².
 */
export function pearsonDeficit(sums: Float64Array, offset = 0): number {
  const spread = sums[offset + F.TAIL_MASS_M2]!;
  const residual = sums[offset + F.PROB_DIFF_RESIDUAL]!;
  const slope = 1 + sums[offset + F.PROB_DIFF_SLOPE]!;
  const explained = slope * slope * spread;
  const total = residual + explained;
  const count = sums[offset + F.PROB_COUNT]!;
  const largest = Math.max(
    sums[offset + F.PROB_MEAN]!,
    sums[offset + F.PROB_MEAN]! + sums[offset + F.PROB_DIFF_MEAN]!,
  );
  if (!(count >= 2 && spread > 0 && total > count * (SAME * largest) ** 2)) return Number.NaN;
  const r = Math.sign(slope) * Math.sqrt(explained / total);
  return r > 0 ? residual / total / (1 + r) : 1 - r;
}

/**
 * Pearson correlation of the two policies' probabilities p and p' of the sampled tokens, from −1 to 1.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { mismatchSums, pearson } from "logratio/kernels";
 *
 * const { rows } = mismatchSums({
 *   rollout: Float32Array.from([0.2, 0.4, 0.6], Math.log),
 *   trainer: Float32Array.from([0.3, 0.5, 0.7], Math.log),
 *   mask: Uint8Array.of(1, 1, 1),
 *   offsets: Int32Array.of(0, 3),
 * });
 * assert(Math.abs(pearson(rows) - 1) < 1e-6);
 * ```
 *
 * @param sums a vector of `FIELDS` sums, or a table of them
 * @param offset where in the table the vector begins: row × `FIELDS`
 * @returns NaN for fewer than two tokens, or if either policy gives all tokens the same probability
 */
export function pearson(sums: Float64Array, offset = 0): number {
  return Math.min(Math.max(1 - pearsonDeficit(sums, offset), -1), 1);
}
