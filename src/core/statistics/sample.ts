/**
 * What the tests share: moments, sorted copies, ranks.
 *
 * @module
 */
import { LengthMismatchError } from "../base/errors.ts";

export interface Moments {
  readonly count: number;
  readonly mean: number;
  /** Σ (value − mean)². */
  readonly squares: number;
}

/** In two passes; the mean's rounding error is taken out of the second. */
export function moments(values: ArrayLike<number>): Moments {
  const count = values.length;
  const mean = computeMean(values);
  let squares = 0;
  let rest = 0;
  for (let i = 0; i < count; i++) {
    const deviation = values[i]! - mean;
    squares += deviation * deviation;
    rest += deviation;
  }
  return { count, mean, squares: Math.max(0, squares - (rest * rest) / count) };
}

/** NaN of no values. Sums the way of Neumaier, so that the mean of n equal values is that value. */
export function computeMean(values: ArrayLike<number>): number {
  let sum = 0;
  let lost = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return (Number.isFinite(sum) ? sum + lost : sum) / values.length;
}

/** A sorted copy; undefined where a value is NaN, as then no order and no result is determined. */
export function sortedCopy(values: ArrayLike<number>): Float64Array | undefined {
  const copy = Float64Array.from(values).sort();
  return Number.isNaN(copy[copy.length - 1]) ? undefined : copy;
}

export interface RankSum {
  /** Sum of the ranks (from 1, mean rank for ties) that the first sample has among both. */
  readonly rankSum: number;
  /** Σ t³ − t over groups of t equal values. */
  readonly tieTerm: number;
}

/** Merges two sorted samples and sums the first one's ranks. */
export function rankSum(a: Float64Array, b: Float64Array): RankSum {
  let sum = 0;
  let tieTerm = 0;
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const value = j >= b.length || (i < a.length && a[i]! <= b[j]!) ? a[i]! : b[j]!;
    const before = i + j;
    const start = i;
    while (i < a.length && a[i] === value) i++;
    while (j < b.length && b[j] === value) j++;
    const tied = i + j - before;
    sum += (i - start) * (before + (tied + 1) / 2);
    tieTerm += tied * (tied * tied - 1);
  }
  return { rankSum: sum, tieTerm };
}

/** Ranks from 1 in the order given, mean rank for ties; undefined where a value is NaN. */
export function ranks(values: ArrayLike<number>): Float64Array | undefined {
  const order = Uint32Array.from(values, (_, index) => index);
  for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) return undefined;
  order.sort((i, j) => (values[i]! < values[j]! ? -1 : values[i]! > values[j]! ? 1 : 0));
  const result = new Float64Array(values.length);
  for (let start = 0, end = 0; start < order.length; start = end) {
    while (end < order.length && values[order[end]!] === values[order[start]!]) end++;
    for (let place = start; place < end; place++) result[order[place]!] = (start + end + 1) / 2;
  }
  return result;
}

/** @throws LengthMismatchError where the samples are not pairs. */
export function requirePairs(test: string, a: ArrayLike<number>, b: ArrayLike<number>): void {
  if (a.length === b.length) return;
  throw new LengthMismatchError(
    `${test} needs pairs: the first sample has ${a.length} values, the second ${b.length}`,
    {
      found: b.length,
      expected: a.length,
      likely: "the two were filtered differently",
      hint: "filter both by the same mask, or compare them as independent samples",
    },
  );
}
