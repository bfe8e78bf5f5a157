/**
 * Simple statistics of a few numbers; null if there are none.
 *
 * @module
 */

/** The number, or null if it is NaN or infinite, which JSON cannot hold. */
export function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** NaN if there are no values. */
export function computeMean(values: readonly number[]): number {
  return computeSum(values) / values.length;
}

export function computeSum(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** Population standard deviation (divided by n); NaN if there are no values. */
export function computeDeviation(values: readonly number[]): number {
  const mean = computeMean(values);
  return Math.sqrt(computeMean(values.map((value) => (value - mean) ** 2)));
}

/** NaN if there are no values. */
export function computeMedian(values: readonly number[]): number {
  return computeQuantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

/** A quantile of ascending values, interpolated between the two nearest. */
export function computeQuantile(sorted: ArrayLike<number>, fraction: number): number {
  const rank = fraction * (sorted.length - 1);
  const low = sorted[Math.floor(rank)] ?? Number.NaN;
  const high = sorted[Math.ceil(rank)] ?? Number.NaN;
  return low === high ? low : low + (high - low) * (rank - Math.floor(rank));
}

/** Compares by UTF-16 code units, which is the same on every machine. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** −∞ if there are no values. */
export function findMax(values: readonly number[]): number {
  return values.reduce((largest, value) => Math.max(largest, value), Number.NEGATIVE_INFINITY);
}

/** ∞ if there are no values. */
export function findMin(values: readonly number[]): number {
  return values.reduce((smallest, value) => Math.min(smallest, value), Number.POSITIVE_INFINITY);
}
