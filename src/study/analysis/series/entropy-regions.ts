/**
 * Entropy by thirds of a text, as in RL-Probe's src/analysis/entropy.py (commit 324de8ce).
 *
 * @module
 */
import type { Region } from "../../results/names.ts";

/**
 * Means of the first n div 3 values, the next n div 3, and the rest, in nats. NaN for fewer than three values, for
 * which the original returns 0.
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
