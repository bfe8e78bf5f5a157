/**
 * Local maxima.
 *
 * @module
 */

/**
 * Places of values that are larger than those beside them, ascending. A run of equal values is one peak, at its middle
 * (the left one of two), if both its neighbors are smaller; the first and last value are none. Any two have a place
 * between them, so that scipy.signal.find_peaks gives the same with `distance=2` and without.
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
