import { studentQuantile95, studentTail } from "./distributions.ts";
import type { Interval, MeanResult } from "./result.ts";
import { moments } from "./sample.ts";

/**
 * The mean of independent values against 0, as `scipy.stats.ttest_1samp`: t = x̄ / √(s²/n), n − 1 degrees of freedom.
 *
 * @returns NaN below two values; equal values other than 0 give ±Infinity and 0
 */
export function meanTest(values: ArrayLike<number>): MeanResult {
  const { count, mean, squares } = moments(values);
  const standardError = Math.sqrt(squares / (count - 1) / count);
  const statistic = mean / standardError;
  const degreesOfFreedom = count - 1;
  return {
    statistic,
    pValue: studentTail(statistic, degreesOfFreedom),
    degreesOfFreedom,
    mean,
    interval: around(mean, standardError, degreesOfFreedom),
  };
}

/**
 * 95 % interval of Σ numerators / Σ denominators over independent units, by Student's t with n − 1 degrees of freedom.
 *
 * With r the ratio and e = numerator − r · denominator, its standard error is √(n/(n − 1) · Σ e²) / Σ denominators
 * (linearization; Cochran, "Sampling Techniques" (1977), 6.3). Of denominators 1 it is the interval of a mean.
 */
export function ratioInterval(numerators: ArrayLike<number>, denominators: ArrayLike<number>): Interval {
  const count = numerators.length;
  let above = 0;
  let below = 0;
  for (let i = 0; i < count; i++) {
    above += numerators[i]!;
    below += denominators[i]!;
  }
  const ratio = above / below;
  let squares = 0;
  for (let i = 0; i < count; i++) squares += (numerators[i]! - ratio * denominators[i]!) ** 2;
  return around(ratio, Math.sqrt((count / (count - 1)) * squares) / below, count - 1);
}

function around(centre: number, standardError: number, degreesOfFreedom: number): Interval {
  const margin = studentQuantile95(degreesOfFreedom) * standardError;
  return { low: centre - margin, high: centre + margin };
}
