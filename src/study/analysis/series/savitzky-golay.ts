/**
 * Smoothing by local polynomials.
 *
 * @module
 */
import { UsageError } from "../../../core/base/index.ts";

/**
 * Savitzky-Golay filter (Savitzky & Golay 1964): each value becomes that of the polynomial fitted by least squares to
 * the `window` values around it. The first and last values come from the polynomial of the first and last whole window,
 * as in scipy.signal.savgol_filter with `mode="interp"`.
 *
 * With at most `order + 1` values in the window, the polynomial passes through them, and the series is unchanged.
 *
 * @param window odd, at most the number of values
 * @throws UsageError for a window that is even, not longer than the order, or longer than the series
 */
export function savitzkyGolay(values: ArrayLike<number>, window: number, order: number): Float64Array {
  const n = values.length;
  if (!(Number.isInteger(window) && window % 2 === 1 && window <= n && order < window && order >= 0))
    throw new UsageError(
      `a Savitzky-Golay window must be odd, longer than the order (${order}) and no longer than the series (${n} values), not ${window}`,
    );
  if (window <= order + 1) return Float64Array.from(values);
  const half = (window - 1) / 2;
  const weights = fitWeights(window, order);
  const smoothed = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const start = Math.min(Math.max(0, i - half), n - window);
    const row = weights[i - start]!;
    let sum = 0;
    for (let j = 0; j < window; j++) sum += row[j]! * values[start + j]!;
    smoothed[i] = sum;
  }
  return smoothed;
}

/**
 * `[window][window]`: row i gives the fitted polynomial's value at place i. Sum over orthogonal polynomials p_k of
 * p_k(i) p_k(j) / Σ p_k², which for places symmetric about 0 follow p_{k+1}(t) = t p_k(t) − b_k p_{k−1}(t) with
 * b_k = Σ p_k² / Σ p_{k−1}² (Forsythe 1957).
 */
function fitWeights(window: number, order: number): readonly Float64Array[] {
  const places = Array.from({ length: window }, (_, i) => i - (window - 1) / 2);
  const weights = places.map(() => new Float64Array(window));
  let previous = places.map(() => 0);
  let current = places.map(() => 1);
  let previousNorm = 1;
  for (let k = 0; k <= order; k++) {
    const norm = current.reduce((sum, value) => sum + value * value, 0);
    for (const [i, row] of weights.entries())
      for (let j = 0; j < window; j++) row[j]! += (current[i]! * current[j]!) / norm;
    const ratio = k === 0 ? 0 : norm / previousNorm;
    const next = places.map((t, i) => t * current[i]! - ratio * previous[i]!);
    [previous, current, previousNorm] = [current, next, norm];
  }
  return weights;
}
