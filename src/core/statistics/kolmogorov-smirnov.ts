import { kolmogorovTail } from "./kolmogorov-distribution.ts";
import type { KolmogorovSmirnovResult } from "./result.ts";
import { sortedCopy } from "./sample.ts";

/**
 * Kolmogorov and Smirnov's test for two independent samples, as `scipy.stats.ks_2samp` with `method="asymp"`.
 *
 * `statistic` is D = max over x of |F_a(x) − F_b(x)| of the empirical distribution functions. p is the tail of the
 * one-sample statistic for nm / (n + m) values, rounded to an integer (½ to even), which scipy calls asymptotic. Source
 * of the rule: Hodges, Arkiv för Matematik 3 (1958).
 *
 * @returns NaN if a sample is empty or contains NaN; p is NaN for one value against one.
 */
export function kolmogorovSmirnov(a: ArrayLike<number>, b: ArrayLike<number>): KolmogorovSmirnovResult {
  const [first, second] = [sortedCopy(a), sortedCopy(b)];
  if (!first?.length || !second?.length)
    return { statistic: Number.NaN, pValue: Number.NaN, location: Number.NaN, sign: 1 };
  const largest = largestGap(first, second);
  const effective = roundHalfToEven((a.length * b.length) / (a.length + b.length));
  return { ...largest, pValue: kolmogorovTail(largest.statistic, effective) };
}

function largestGap(a: Float64Array, b: Float64Array): Omit<KolmogorovSmirnovResult, "pValue"> {
  let [above, below] = [0, 0];
  let [aboveAt, belowAt] = [Math.min(a[0]!, b[0]!), Math.min(a[0]!, b[0]!)];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const value = j >= b.length || (i < a.length && a[i]! <= b[j]!) ? a[i]! : b[j]!;
    while (i < a.length && a[i] === value) i++;
    while (j < b.length && b[j] === value) j++;
    const gap = i / a.length - j / b.length;
    if (gap > above) [above, aboveAt] = [gap, value];
    if (-gap > below) [below, belowAt] = [-gap, value];
  }
  return below > above
    ? { statistic: below, location: belowAt, sign: -1 }
    : { statistic: above, location: aboveAt, sign: 1 };
}

function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest < 0.5 || (rest === 0.5 && floor % 2 === 0) ? floor : floor + 1;
}
