/**
 * Local maxima.
 *
 * @module
 */

/**
 * Indices of values that are larger than their neighbors, ascending. A run of equal values is one peak, at its middle
 * (the left one of two), if both its neighbors are smaller; the first and last value are never peaks. Any two peaks
 * have a place between them, so scipy.signal.find_peaks gives the same with and without `distance=2`.
 */
export function findPeaks(values: ArrayLike<number>): number[] {
  const peaks: number[] = [];
  for (let start = 1; start < values.length - 1; start++) {
    if (!(values[start - 1]! < values[start]!)) continue;
    let end = start;
    while (end + 1 < values.length - 1 && values[end + 1] === values[start]) end++;
    if (values[end + 1]! < values[start]!) {
      peaks.push(Math.floor((start + end) / 2));
      start = end;
    }
  }
  return peaks;
}
