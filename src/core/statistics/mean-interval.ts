import { studentQuantile95 } from "./distributions.ts";
import type { Interval } from "./result.ts";

/**
 * 95 % interval of Σ numerators / Σ denominators over independent units, by Student's t with n − 1 degrees of freedom.
 *
 * With r the ratio and e = numerator − r · denominator, its standard error is √(n/(n − 1) · Σ e²) / Σ denominators
 * (linearization; Cochran, "Sampling Techniques" (1977), 6.3). With denominators of 1 it is the interval of a mean.
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
