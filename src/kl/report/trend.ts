import { spearmanTest } from "../../statistics/index.ts";

/** Up to here all orders are gone through: 8! = 40320. */
const ALL_ORDERS = 8;

/**
 * Spearman's correlation of a figure with the step. p: up to 8 checkpoints the share of all n! orders of the values
 * that are correlated as strongly or more; above, Student's t, but never below 2 / n!, which a perfect order has by
 * chance (the t would give 0).
 *
 * @returns undefined below four checkpoints (no order of three is rarer than 1 in 3) or where the values are all equal.
 */
export function trendOf(
  steps: readonly number[],
  values: readonly number[],
): { readonly rho: number; readonly p_value: number } | undefined {
  const test = spearmanTest(steps, values);
  if (values.length < 4 || Number.isNaN(test.statistic)) return undefined;
  const p =
    values.length <= ALL_ORDERS ? exact(steps, values) : Math.max(test.pValue, 2 / factorial(values.length));
  return { rho: test.statistic, p_value: p };
}

function exact(steps: readonly number[], values: readonly number[]): number {
  const [a, b] = [centredRanks(steps), centredRanks(values)];
  const products = (order: readonly number[]): number =>
    order.reduce((sum, value, place) => sum + value * (a[place] as number), 0);
  const observed = Math.abs(products(b)) - 1e-9;
  let as = 0;
  let all = 0;
  const order = [...b];
  const permute = (from: number): void => {
    if (from === order.length) {
      all++;
      if (Math.abs(products(order)) >= observed) as++;
      return;
    }
    for (let i = from; i < order.length; i++) {
      [order[from], order[i]] = [order[i] as number, order[from] as number];
      permute(from + 1);
      [order[from], order[i]] = [order[i] as number, order[from] as number];
    }
  };
  permute(0);
  return as / all;
}

/** Twice the distance of each rank from the mean rank; mean rank for ties. */
function centredRanks(values: readonly number[]): number[] {
  return values.map((value) =>
    values.reduce((sum, other) => sum + (other < value ? 1 : other > value ? -1 : 0), 0),
  );
}

function factorial(n: number): number {
  return n <= 1 ? 1 : n * factorial(n - 1);
}
