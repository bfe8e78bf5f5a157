/**
 * Bins of plain values.
 *
 * @module
 */

export function evenEdges(low: number, high: number, bins: number): Float64Array {
  return Float64Array.from({ length: bins + 1 }, (_, at) => low + ((high - low) * at) / bins);
}

/** Edges that grow by a factor; both ends must be above 0. */
export function geometricEdges(low: number, high: number, bins: number): Float64Array {
  return evenEdges(Math.log(low), Math.log(high), bins).map(Math.exp);
}

/** Counts values, or their logarithms if `scale` is `Math.log`, between even edges; NaN is not counted. */
export function countInto(
  edges: Float64Array,
  values: ArrayLike<number>,
  scale: (value: number) => number = (value) => value,
): Float64Array {
  const counts = new Float64Array(edges.length - 1);
  const low = scale(edges[0]!);
  const width = (scale(edges.at(-1)!) - low) / counts.length;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) continue;
    const bin = Math.floor((scale(value) - low) / width);
    counts[Math.max(0, Math.min(counts.length - 1, bin))]!++;
  }
  return counts;
}
