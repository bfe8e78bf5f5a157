import { gammaRatio, NORMAL_95, studentQuantile95, studentTail } from "./distributions.ts";
import type { Interval, TTestResult } from "./result.ts";
import { type Moments, moments } from "./sample.ts";

export interface TTestOptions {
  /** Pool the variances (Student; the default, as in scipy), or not (Welch). */
  readonly equalVariances?: boolean;
}

/**
 * The t-test for the means of two independent samples, as `scipy.stats.ttest_ind`.
 *
 * t = (mean(a) − mean(b)) / se, with se² = s²·(1/n + 1/m) and n + m − 2 degrees of freedom for one pooled variance s²
 * (Student 1908), or se² = s_a²/n + s_b²/m and se⁴ / ((s_a²/n)²/(n−1) + (s_b²/m)²/(m−1)) degrees (Welch 1947).
 * Effect size: Cohen's d over the pooled standard deviation; Hedges' g = d · Γ(ν/2) / (√(ν/2) · Γ((ν−1)/2)) with
 * ν = n + m − 2, its interval from the variance (n + m)/(n·m) + g²/(2(n + m)) (Hedges and Olkin 1985, chapter 5).
 *
 * Two constant samples give ±Infinity and 0 where they differ, NaN where they do not. An empty sample or a NaN gives
 * NaN; so does a single value with Welch, and against a single value.
 */
export function tTest(a: ArrayLike<number>, b: ArrayLike<number>, options: TTestOptions = {}): TTestResult {
  const equal = options.equalVariances ?? true;
  const [first, second] = [moments(a), moments(b)];
  const meanDifference = first.mean - second.mean;
  const { standardError, degreesOfFreedom } = equal ? student(first, second) : welch(first, second);
  const statistic = meanDifference / standardError;
  const margin = studentQuantile95(degreesOfFreedom) * standardError;
  const pooledDeviation = Math.sqrt(pooledVariance(first, second));
  const cohenD = meanDifference / pooledDeviation;
  const hedgesG = cohenD * smallSampleFactor(first.count + second.count - 2);
  return {
    method: equal ? "student" : "welch",
    statistic,
    pValue: studentTail(statistic, degreesOfFreedom),
    degreesOfFreedom,
    meanA: first.mean,
    meanB: second.mean,
    meanDifference,
    meanDifferenceInterval: { low: meanDifference - margin, high: meanDifference + margin },
    pooledDeviation,
    cohenD,
    hedgesG,
    hedgesGInterval: effectInterval(hedgesG, first.count, second.count),
  };
}

interface Spread {
  readonly standardError: number;
  readonly degreesOfFreedom: number;
}

function student(a: Moments, b: Moments): Spread {
  return {
    standardError: Math.sqrt(pooledVariance(a, b) * (1 / a.count + 1 / b.count)),
    degreesOfFreedom: a.count + b.count - 2,
  };
}

function welch(a: Moments, b: Moments): Spread {
  const ofA = a.squares / (a.count - 1) / a.count;
  const ofB = b.squares / (b.count - 1) / b.count;
  // In shares of the whole, as squares of small variances vanish.
  const [shareA, shareB] = [ofA / (ofA + ofB), ofB / (ofA + ofB)];
  const degrees = 1 / (shareA ** 2 / (a.count - 1) + shareB ** 2 / (b.count - 1));
  // Both variances 0: t is infinite or undefined whatever the degrees of freedom.
  return { standardError: Math.sqrt(ofA + ofB), degreesOfFreedom: ofA + ofB === 0 ? 1 : degrees };
}

function pooledVariance(a: Moments, b: Moments): number {
  return (a.squares + b.squares) / (a.count + b.count - 2);
}

/** Undefined below 2 degrees of freedom, where d has no expectation. */
function smallSampleFactor(degreesOfFreedom: number): number {
  if (degreesOfFreedom < 2) return Number.NaN;
  return gammaRatio((degreesOfFreedom - 1) / 2) / Math.sqrt(degreesOfFreedom / 2);
}

function effectInterval(effect: number, n: number, m: number): Interval {
  if (!Number.isFinite(effect)) return { low: Number.NaN, high: Number.NaN };
  const margin = NORMAL_95 * Math.sqrt((n + m) / (n * m) + effect ** 2 / (2 * (n + m)));
  return { low: effect - margin, high: effect + margin };
}
