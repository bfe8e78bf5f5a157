/**
 * Entropy by thirds of a text, and how it falls over training. Formulas as in RL-Probe's src/analysis/entropy.py
 * (commit 324de8ce).
 *
 * @module
 */
import type { Region } from "../../../results/index.ts";

/**
 * Means of the first n div 3 values, the next n div 3, and the rest, in nats. NaN of fewer than three values, of which
 * the original says 0.
 */
export function meansByThird(values: ArrayLike<number>): Record<Region, number> {
  const third = Math.floor(values.length / 3);
  if (third === 0) return { early: Number.NaN, mid: Number.NaN, late: Number.NaN };
  return {
    early: meanBetween(values, 0, third),
    mid: meanBetween(values, third, 2 * third),
    late: meanBetween(values, 2 * third, values.length),
  };
}

function meanBetween(values: ArrayLike<number>, start: number, end: number): number {
  let sum = 0;
  for (let i = start; i < end; i++) sum += values[i]!;
  return sum / (end - start);
}

export interface EntropyReduction {
  /** first − last, nats. */
  readonly absolute: number;
  /** (first − last) / first; 0 where the first is not positive, NaN where one is NaN. */
  readonly relative: number;
}

export function entropyReduction(first: number, last: number): EntropyReduction {
  return { absolute: first - last, relative: relativeFall(first, last) };
}

/** `[n − 1]`: (value − next) / value, 0 where the value is not positive. Positive: it fell. */
export function progressionRates(series: ArrayLike<number>): number[] {
  return Array.from({ length: Math.max(0, series.length - 1) }, (_, i) =>
    relativeFall(series[i]!, series[i + 1]!),
  );
}

function relativeFall(from: number, to: number): number {
  return from <= 0 && !Number.isNaN(to) ? 0 : (from - to) / from;
}
