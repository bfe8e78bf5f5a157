/**
 * Mean, standard deviation, median and percentile of a series in double precision, summed in numpy's order: if a
 * rounding error decides whether a token is a spike, it decides in the same way as in RL-Probe.
 *
 * @module
 */
export interface MeanAndStd {
  readonly mean: number;
  /** Standard deviation of the population (÷ n). */
  readonly std: number;
}

const UNROLLED = 8;
const BLOCK = 128;

/** Of `values[start … end)`; NaN if that is empty. */
export function meanAndStd(values: Float64Array, start = 0, end = values.length): MeanAndStd {
  const count = end - start;
  const mean = pairwiseSum(values, start, count) / count;
  const squares = new Float64Array(count);
  for (let i = 0; i < count; i++) squares[i] = (values[start + i]! - mean) ** 2;
  return { mean, std: Math.sqrt(pairwiseSum(squares, 0, count) / count) };
}

/**
 * Pairwise summation with eight running sums in blocks of up to 128, the order of numpy's `add.reduce` over contiguous
 * doubles (numpy/_core/src/umath/loops_utils.h.src).
 */
function pairwiseSum(values: Float64Array, start: number, count: number): number {
  if (count > BLOCK) {
    const half = Math.floor(count / 2);
    const first = half - (half % UNROLLED);
    return pairwiseSum(values, start, first) + pairwiseSum(values, start + first, count - first);
  }
  const whole = count < UNROLLED ? 0 : count - (count % UNROLLED);
  let sum = whole === 0 ? 0 : eightSums(values, start, whole);
  for (let i = whole; i < count; i++) sum += values[start + i]!;
  return sum;
}

function eightSums(values: Float64Array, start: number, count: number): number {
  const sums = values.slice(start, start + UNROLLED);
  for (let i = UNROLLED; i < count; i++) sums[i % UNROLLED]! += values[start + i]!;
  return sums[0]! + sums[1]! + (sums[2]! + sums[3]!) + (sums[4]! + sums[5]! + (sums[6]! + sums[7]!));
}

/**
 * numpy's default ("linear", type 7 of Hyndman & Fan 1996): between the two values next to place (n − 1) · p / 100 of
 * the sorted series. NaN if any value is NaN, or if there are none.
 *
 * @param p 0 to 100
 */
export function percentile(values: Float64Array, p: number): number {
  const sorted = values.slice().sort();
  const last = sorted.length - 1;
  if (last < 0 || Number.isNaN(sorted[last])) return Number.NaN;
  const place = last * (p / 100);
  const below = Math.min(Math.floor(place), last);
  const weight = place - below;
  const [low, high] = [sorted[below]!, sorted[Math.min(below + 1, last)]!];
  return weight >= 0.5 ? high - (high - low) * (1 - weight) : low + (high - low) * weight;
}
