/** The middle value, or the mean of the middle two; NaN if empty, or if a value is NaN. */
export function median(values: ArrayLike<number>): number {
  // Typed arrays sort by size, with NaN last.
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  if (sorted.length === 0 || Number.isNaN(sorted.at(-1))) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
