import { NORMAL_95, studentTail } from "./distributions.ts";
import type { CorrelationResult, Interval } from "./result.ts";
import { computeMean, ranks, requirePairs } from "./sample.ts";

/**
 * Pearson's correlation, as `scipy.stats.pearsonr`.
 *
 * r = Σ(a − ā)(b − b̄) / √(Σ(a − ā)² · Σ(b − b̄)²); p from Student's t = r·√((n − 2) / (1 − r²)) with n − 2 degrees of
 * freedom, exact for normal data. Interval: Fisher's (1921), tanh(artanh r ± 1.96 / √(n − 3)); −1 to 1 below four pairs.
 *
 * @returns NaN if a sample is constant or contains NaN, and below two pairs; with two, r is ±1 and p is 1.
 * @throws LengthMismatchError if the samples are not pairs.
 */
export function pearsonTest(a: ArrayLike<number>, b: ArrayLike<number>): CorrelationResult {
  requirePairs("Pearson's correlation", a, b);
  const pairs = a.length;
  const statistic = correlation(a, b);
  const pValue = pairs === 2 ? 1 : correlationTail(statistic, pairs);
  return {
    statistic,
    pValue: Number.isNaN(statistic) ? Number.NaN : pValue,
    pairs,
    interval: fisherInterval(statistic, 1, pairs),
  };
}

/**
 * Spearman's correlation, as `scipy.stats.spearmanr`: Pearson's of the ranks (mean rank for ties), p from the same t.
 * Interval: Fisher's with the variance (1 + r²/2) / (n − 3) of Bonett and Wright (2000).
 *
 * @returns NaN if a sample is constant or contains NaN, and below two pairs; with two, p is NaN.
 * @throws LengthMismatchError if the samples are not pairs.
 */
export function spearmanTest(a: ArrayLike<number>, b: ArrayLike<number>): CorrelationResult {
  requirePairs("Spearman's correlation", a, b);
  const pairs = a.length;
  const [first, second] = [ranks(a), ranks(b)];
  const statistic = first && second ? correlation(first, second) : Number.NaN;
  return {
    statistic,
    pValue: correlationTail(statistic, pairs),
    pairs,
    interval: fisherInterval(statistic, 1 + statistic ** 2 / 2, pairs),
  };
}

function correlation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [first, second] = [deviations(a), deviations(b)];
  let products = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let i = 0; i < first.length; i++) {
    products += first[i]! * second[i]!;
    squaresA += first[i]! ** 2;
    squaresB += second[i]! ** 2;
  }
  if (squaresA === squaresB) return clamp(products / squaresA);
  return clamp(products / (Math.sqrt(squaresA) * Math.sqrt(squaresB)));
}

/** Deviations from the mean, divided by the largest, so that squares neither overflow nor underflow. */
function deviations(values: ArrayLike<number>): Float64Array {
  const mean = computeMean(values);
  const result = Float64Array.from(values, (value) => value - mean);
  let largest = 0;
  for (const deviation of result) largest = Math.max(largest, Math.abs(deviation));
  return result.map((deviation) => deviation / largest);
}

function correlationTail(r: number, pairs: number): number {
  const odds = (r * r) / ((1 - r) * (1 + r));
  return studentTail(Math.sqrt(odds * (pairs - 2)), pairs - 2);
}

/** @param factor the variance of artanh r times (n − 3). */
function fisherInterval(r: number, factor: number, pairs: number): Interval {
  if (Number.isNaN(r)) return { low: Number.NaN, high: Number.NaN };
  if (pairs < 4) return { low: -1, high: 1 };
  const margin = NORMAL_95 * Math.sqrt(factor / (pairs - 3));
  return { low: Math.tanh(Math.atanh(r) - margin), high: Math.tanh(Math.atanh(r) + margin) };
}

function clamp(r: number): number {
  return Math.max(-1, Math.min(1, r));
}
