/**
 * p-values of several tests on the same data, adjusted so that each can be compared with one level.
 *
 * @module
 */
import { UsageError } from "../base/errors.ts";

/**
 * Holm's step-down adjustment: controls the probability of a single false rejection, under any dependence.
 *
 * With the m p-values sorted upwards, adjusted(i) = max over j ≤ i of min(1, (m − j + 1) · p(j)), j from 1.
 * Source: Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statistics 6 (1979).
 *
 * @param pValues each from 0 to 1; NaN (a test that could not be run) stays NaN and does not count.
 * @returns the adjusted p-values, in the order given.
 * @throws UsageError if a p-value is outside 0…1.
 */
export function holm(pValues: ArrayLike<number>): Float64Array {
  const { adjusted, order } = sorted(pValues);
  let running = 0;
  order.forEach((index, place) => {
    running = Math.max(running, Math.min(1, (order.length - place) * pValues[index]!));
    adjusted[index] = running;
  });
  return adjusted;
}

/**
 * Benjamini and Hochberg's step-up adjustment: controls the expected share of false rejections among the rejections,
 * for independent or positively dependent tests.
 *
 * With the m p-values sorted upwards, adjusted(i) = min over j ≥ i of min(1, m / j · p(j)), j from 1.
 * Source: Benjamini and Hochberg, "Controlling the false discovery rate", J. R. Statist. Soc. B 57 (1995).
 *
 * @param pValues each from 0 to 1; NaN (a test that could not be run) stays NaN and does not count.
 * @returns the adjusted p-values, in the order given.
 * @throws UsageError if a p-value is outside 0…1.
 */
export function benjaminiHochberg(pValues: ArrayLike<number>): Float64Array {
  const { adjusted, order } = sorted(pValues);
  let running = 1;
  for (let place = order.length; place >= 1; place--) {
    const index = order[place - 1]!;
    running = Math.min(running, (order.length / place) * pValues[index]!);
    adjusted[index] = running;
  }
  return adjusted;
}

function sorted(pValues: ArrayLike<number>): { adjusted: Float64Array; order: number[] } {
  const order: number[] = [];
  for (let i = 0; i < pValues.length; i++) {
    const p = pValues[i]!;
    if (p < 0 || p > 1) throw new UsageError(`cannot adjust p-values: number ${i} is ${p}, outside 0 to 1`);
    if (!Number.isNaN(p)) order.push(i);
  }
  order.sort((i, j) => pValues[i]! - pValues[j]!);
  return { adjusted: new Float64Array(pValues.length).fill(Number.NaN), order };
}
