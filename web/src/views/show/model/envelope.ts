/** Extremes and mean per pixel column, drawn if there are more tokens than pixels, so that spikes survive. */
export interface Envelope {
  /** `[columns]`, NaN where a column has no value. */
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly mean: Float64Array;
  /** `[columns]`: 1 where a value is not finite. */
  readonly infinite: Uint8Array;
}

/**
 * @param values `[n]`, NaN where missing
 * @param edges `[columns + 1]`, places in `values`, ascending; a column narrower than a token gets the token around it
 */
export function computeEnvelope(values: Float64Array, edges: Float64Array): Envelope {
  const columns = edges.length - 1;
  const min = new Float64Array(columns).fill(Number.NaN);
  const max = new Float64Array(columns).fill(Number.NaN);
  const mean = new Float64Array(columns).fill(Number.NaN);
  const infinite = new Uint8Array(columns);
  for (let column = 0; column < columns; column++) {
    const from = Math.max(0, Math.floor(edges[column]!));
    const to = Math.min(
      values.length,
      Math.max(Math.ceil(edges[column + 1]!), Math.floor(edges[column]!) + 1),
    );
    let low = Infinity;
    let high = -Infinity;
    let sum = 0;
    let count = 0;
    for (let at = from; at < to; at++) {
      const value = values[at]!;
      if (Number.isNaN(value)) continue;
      if (!Number.isFinite(value)) {
        infinite[column] = 1;
        continue;
      }
      if (value < low) low = value;
      if (value > high) high = value;
      sum += value;
      count++;
    }
    if (count === 0) continue;
    min[column] = low;
    max[column] = high;
    mean[column] = sum / count;
  }
  return { min, max, mean, infinite };
}
