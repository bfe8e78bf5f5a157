/**
 * Values that stand out from their surroundings.
 *
 * @module
 */
import { meanAndStd } from "./series-statistics.ts";

/**
 * Marks the values whose z-score within their own window is above a threshold. The window of place i is
 * [i − w div 2, i + w div 2) within the series, w = max(10, n div 10); one whose standard deviation is 0 marks nothing.
 *
 * Sums over windows come from compensated prefix sums, which rule out most places with room for their rounding error;
 * the rest are computed as they are defined, so the marks are those of the definition.
 *
 * @param threshold in local standard deviations
 * @returns `[n]`, 1 = marked
 */
export function localOutliers(values: Float64Array, threshold: number): Uint8Array {
  const n = values.length;
  const half = Math.floor(Math.max(10, Math.floor(n / 10)) / 2);
  const marks = new Uint8Array(n);
  const sums = prefixSums(values, (value) => value);
  const squares = prefixSums(values, (value) => value * value);
  let constant = { value: Number.NaN, length: 0, std: 0, mean: 0 };
  const runs = runStarts(values);
  for (let i = 0; i < n; i++) {
    const start = Math.max(0, i - half);
    const end = Math.min(n, i + half);
    const value = values[i]!;
    if (runs[end - 1]! <= start) {
      const length = end - start;
      if (constant.value !== value || constant.length !== length)
        constant = { value, length, ...meanAndStd(values, start, end) };
      if (stands(value, constant, threshold)) marks[i] = 1;
    } else if (
      !surelyBelow(value, between(sums, start, end), between(squares, start, end), end - start, threshold) &&
      stands(value, meanAndStd(values, start, end), threshold)
    ) {
      marks[i] = 1;
    }
  }
  return marks;
}

/** `[n]`: the index from which on all values up to this one are equal. */
function runStarts(values: Float64Array): Uint32Array {
  const starts = new Uint32Array(values.length);
  for (let i = 1; i < values.length; i++) starts[i] = values[i] === values[i - 1] ? starts[i - 1]! : i;
  return starts;
}

function stands(value: number, window: { mean: number; std: number }, threshold: number): boolean {
  return window.std > 0 && (value - window.mean) / window.std > threshold;
}

interface PrefixSums {
  /** `[n + 1]`: the sum of the first i is `high[i] + low[i]`. */
  readonly high: Float64Array;
  readonly low: Float64Array;
  /**
   * The error of any difference of two sums is at most this, in addition to an error relative to the sum between them.
   */
  readonly error: number;
}

/** Sums by Neumaier's method. */
function prefixSums(values: Float64Array, term: (value: number) => number): PrefixSums {
  const high = new Float64Array(values.length + 1);
  const low = new Float64Array(values.length + 1);
  let magnitude = 0;
  for (let i = 0; i < values.length; i++) {
    const value = term(values[i]!);
    const sum = high[i]!;
    const next = sum + value;
    high[i + 1] = next;
    low[i + 1] = low[i]! + (Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum);
    magnitude += Math.abs(value);
  }
  // What is lost in `low` itself is of second order in epsilon, n times; the difference is rounded once.
  return { high, low, error: 4 * values.length * Number.EPSILON ** 2 * magnitude };
}

interface WindowSum {
  readonly sum: number;
  readonly error: number;
}

function between({ high, low, error }: PrefixSums, start: number, end: number): WindowSum {
  const sum = high[end]! - high[start]! + (low[end]! - low[start]!);
  // Differences of the high parts are rounded relative to themselves, and so are those of the low ones.
  const rounding =
    2 * Number.EPSILON * (Math.abs(high[end]! - high[start]!) + Math.abs(low[end]! - low[start]!));
  return { sum, error: error + rounding };
}

/** Whether no rounding error can lift the z-score above the threshold; false if that is not certain. */
function surelyBelow(
  value: number,
  sum: WindowSum,
  squares: WindowSum,
  count: number,
  threshold: number,
): boolean {
  if (!(threshold >= 0)) return false;
  const mean = sum.sum / count;
  // The tolerance includes the rounding of the definition itself.
  const room = 64 * Number.EPSILON;
  const meanSquare = squares.sum / count;
  const meanError = sum.error / count + room * (Math.sqrt(Math.max(0, meanSquare)) + Math.abs(value));
  const variance = meanSquare - mean * mean;
  const varianceError =
    squares.error / count + 2 * (Math.abs(mean) + meanError) * meanError + room * (meanSquare + mean * mean);
  const leastStd = Math.sqrt(Math.max(0, variance - varianceError));
  return value - mean + meanError < threshold * leastStd * (1 - room);
}
