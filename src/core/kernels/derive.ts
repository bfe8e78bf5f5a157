/**
 * Figures from one sums vector of `layout.ts` (at `offset`, in a table of several). Means are NaN when no token
 * counts. Nats for anything of Δ, plain numbers for ρ and probabilities.
 *
 * @module
 */
import * as F from "./layout.ts";

type Sums = Float64Array;

/** Mean Δ. */
export function deltaMean(sums: Sums, offset = 0): number {
  return sums[offset + F.COUNT]! > 0 ? sums[offset + F.DELTA_MEAN]! : Number.NaN;
}

/** Population standard deviation of Δ. */
export function deltaStd(sums: Sums, offset = 0): number {
  return Math.sqrt(sums[offset + F.DELTA_M2]! / sums[offset + F.COUNT]!);
}

/** Mean |Δ|. */
export function deltaAbsMean(sums: Sums, offset = 0): number {
  return sums[offset + F.ABS_DELTA_SUM]! / sums[offset + F.COUNT]!;
}

/** k1 = mean (rollout − trainer) = −mean Δ, an unbiased estimate of KL(rollout ‖ trainer). */
export function k1(sums: Sums, offset = 0): number {
  return -deltaMean(sums, offset);
}

/** k2 = mean Δ² / 2. */
export function k2(sums: Sums, offset = 0): number {
  const mean = deltaMean(sums, offset);
  return (mean * mean + sums[offset + F.DELTA_M2]! / sums[offset + F.COUNT]!) / 2;
}

/** k3 = mean (exp Δ − Δ − 1), http://joschu.net/blog/kl-approx.html. */
export function k3(sums: Sums, offset = 0): number {
  return sums[offset + F.K3_SUM]! / sums[offset + F.COUNT]!;
}

/** Mean and M2 of ρ over all tokens. */
function ratioMoments(sums: Sums, offset: number): { mean: number; m2: number } {
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
  if (overSquare === Number.POSITIVE_INFINITY) return { mean: 1 + total, m2: overSquare };
  const apart = overSum / over - excess;
  const overM2 = Math.max(overSquare - (overSum * overSum) / over, 0);
  return { mean: 1 + total, m2: m2 + overM2 + ((apart * apart * within) / count) * over };
}

/** Mean ρ. */
export function ratioMean(sums: Sums, offset = 0): number {
  return ratioMoments(sums, offset).mean;
}

/** Population standard deviation of ρ. */
export function ratioStd(sums: Sums, offset = 0): number {
  return Math.sqrt(ratioMoments(sums, offset).m2 / sums[offset + F.COUNT]!);
}

/** Chi-squared of the token ratios: mean ρ² − 1. May be negative, as estimates from samples can be. */
export function chi2Token(sums: Sums, offset = 0): number {
  const over = sums[offset + F.OVER_EXCESS_SQUARE_SUM]! + 2 * sums[offset + F.OVER_EXCESS_SUM]!;
  return (chi2Within(sums, offset) + over) / sums[offset + F.COUNT]!;
}

/** {@link chi2Token} with Δ clamped at RATIO_CLAMP, as verl computes it. */
export function chi2TokenClamped(sums: Sums, offset = 0): number {
  const over = sums[offset + F.OVER_COUNT]! * Math.expm1(2 * F.RATIO_CLAMP);
  return (chi2Within(sums, offset) + over) / sums[offset + F.COUNT]!;
}

/** Σ (ρ² − 1) = Σ ((ρ − 1)² + 2 (ρ − 1)) over the tokens within RATIO_CLAMP. */
function chi2Within(sums: Sums, offset: number): number {
  const within = sums[offset + F.COUNT]! - sums[offset + F.OVER_COUNT]!;
  const excess = sums[offset + F.EXCESS_MEAN]!;
  return sums[offset + F.EXCESS_M2]! + within * excess * (excess + 2);
}

/**
 * Effective sample size as a fraction of the tokens: (Σ ρ)² / (n Σ ρ²) = 1 / (1 + var ρ / mean² ρ), in (0, 1].
 * Where Σ ρ² overflows, the limit for one token that outweighs all others: 1 / n.
 */
export function effectiveSampleSize(sums: Sums, offset = 0): number {
  const { mean, m2 } = ratioMoments(sums, offset);
  const count = sums[offset + F.COUNT]!;
  if (m2 === Number.POSITIVE_INFINITY) return 1 / count;
  return (mean * mean) / (mean * mean + m2 / count);
}

/** 1 − {@link effectiveSampleSize}, to full relative accuracy also where it is tiny. */
export function effectiveSampleSizeDeficit(sums: Sums, offset = 0): number {
  const { mean, m2 } = ratioMoments(sums, offset);
  const count = sums[offset + F.COUNT]!;
  if (m2 === Number.POSITIVE_INFINITY) return 1 - 1 / count;
  return m2 / count / (mean * mean + m2 / count);
}

/** Mean Δp = mean (p' − p). */
export function probDiffMean(sums: Sums, offset = 0): number {
  return sums[offset + F.PROB_COUNT]! > 0 ? sums[offset + F.PROB_DIFF_MEAN]! : Number.NaN;
}

/** Mean |Δp|. */
export function absProbDiffMean(sums: Sums, offset = 0): number {
  return sums[offset + F.PROB_COUNT]! > 0 ? sums[offset + F.ABS_PROB_DIFF_MEAN]! : Number.NaN;
}

/** Standard deviation of |Δp|; `ddof` 1 (NaN for one token) is what torch and verl report. */
export function absProbDiffStd(sums: Sums, offset = 0, ddof: 0 | 1 = 0): number {
  return Math.sqrt(sums[offset + F.ABS_PROB_DIFF_M2]! / (sums[offset + F.PROB_COUNT]! - ddof));
}

/** A spread of p' below this share of p or p' is rounding. */
const SAME = 1e-15;

/**
 * 1 − r for the Pearson correlation r of p and p', to full relative accuracy also where it is tiny; in [0, 2]. NaN
 * for fewer than two tokens or where either policy gives all tokens the same probability.
 *
 * From the regression of p' on p: slope b, residual sum of squares E, Σ (p' − mean)² = E + b² Σ (p − mean)².
 */
export function pearsonDeficit(sums: Sums, offset = 0): number {
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

/** Pearson correlation of p and p'. NaN for fewer than two tokens or zero variance. */
export function pearson(sums: Sums, offset = 0): number {
  return Math.min(Math.max(1 - pearsonDeficit(sums, offset), -1), 1);
}
