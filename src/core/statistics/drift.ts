import { LengthMismatchError } from "../base/errors.ts";
import { studentQuantile95, studentTail } from "./distributions.ts";
import type { DriftResult } from "./result.ts";

/**
 * Tests whether a path drifts, against a random walk. Values of a walk are not independent, so their correlation with
 * time is usually "significant"; its increments are independent.
 *
 * With d_j the change over a time h_j, d_j ~ N(μ h_j, σ² h_j): the regression of d_j / √h_j on √h_j through the
 * origin, μ̂ = Σ d / Σ h, s² = Σ (d_j − μ̂ h_j)² / h_j / (k − 1), t = μ̂ √Σh / s with k − 1 degrees of freedom, k
 * increments. For even steps it is the t-test of the increments' mean. Independent jitter around a constant makes it
 * conservative, since increments then cancel each other. Source: Granger and Newbold, "Spurious regressions in
 * econometrics", J. Econometrics 2 (1974).
 *
 * @param times ascending
 * @returns NaN below three values, and if all are equal
 * @throws LengthMismatchError
 */
export function driftTest(times: ArrayLike<number>, values: ArrayLike<number>): DriftResult {
  if (times.length !== values.length)
    throw new LengthMismatchError(
      `expected one value per time, got ${times.length} times and ${values.length} values`,
      {
        found: values.length,
        expected: times.length,
      },
    );
  const count = values.length - 1;
  const span = times[count]! - times[0]!;
  const drift = (values[count]! - values[0]!) / span;
  let squares = 0;
  for (let j = 0; j < count; j++) {
    const width = times[j + 1]! - times[j]!;
    squares += (values[j + 1]! - values[j]! - drift * width) ** 2 / width;
  }
  const degreesOfFreedom = count - 1;
  const standardError = Math.sqrt(squares / degreesOfFreedom / span);
  const statistic = drift / standardError;
  const margin = studentQuantile95(degreesOfFreedom) * standardError;
  return {
    statistic,
    pValue: studentTail(statistic, degreesOfFreedom),
    degreesOfFreedom,
    drift,
    interval: { low: drift - margin, high: drift + margin },
  };
}
