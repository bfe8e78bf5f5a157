import { NORMAL_95, normalTail } from "./distributions.ts";
import type { Interval, MannWhitneyResult } from "./result.ts";
import { rankSum, sortedCopy } from "./sample.ts";

/**
 * Mann and Whitney's U for two independent samples, as `scipy.stats.mannwhitneyu` with `method="asymptotic"`.
 *
 * `statistic` is U of `a`: the number of pairs (one value of each) with a > b, ties as ½. With N = n + m and groups of
 * t equal values, z = (|U − nm/2| − ½) / √(nm/12 · (N + 1 − Σ(t³ − t) / (N(N − 1)))), and p from the normal
 * distribution. Source: Hollander and Wolfe, "Nonparametric Statistical Methods", chapter 4.
 *
 * The interval of the rank-biserial correlation is Newcombe's for P(a > b) (method 5, Statistics in Medicine 25, 2006),
 * which is also valid near −1 and 1; ties make it slightly too wide.
 *
 * @returns all NaN if a sample is empty or contains NaN.
 */
export function mannWhitneyU(a: ArrayLike<number>, b: ArrayLike<number>): MannWhitneyResult {
  const [n, m] = [a.length, b.length];
  const [first, second] = [sortedCopy(a), sortedCopy(b)];
  if (!first?.length || !second?.length) return UNDETERMINED;
  const { rankSum: sum, tieTerm } = rankSum(first, second);
  const statistic = sum - (n * (n + 1)) / 2;
  const total = n + m;
  const deviation = statistic - (n * m) / 2;
  const spread = Math.sqrt(((n * m) / 12) * (total + 1 - tieTerm / (total * (total - 1))));
  // If all values are equal, the spread is 0, and nothing speaks against equality.
  const z = Math.abs(deviation) <= 0.5 ? 0 : (Math.sign(deviation) * (Math.abs(deviation) - 0.5)) / spread;
  const probability = statistic / (n * m);
  const interval = superiorityInterval(probability, n, m);
  return {
    statistic,
    pValue: normalTail(z),
    z,
    probabilityOfSuperiority: probability,
    rankBiserial: 2 * probability - 1,
    rankBiserialInterval: { low: 2 * interval.low - 1, high: 2 * interval.high - 1 },
  };
}

const UNDETERMINED: MannWhitneyResult = {
  statistic: Number.NaN,
  pValue: Number.NaN,
  z: Number.NaN,
  probabilityOfSuperiority: Number.NaN,
  rankBiserial: Number.NaN,
  rankBiserialInterval: { low: Number.NaN, high: Number.NaN },
};

/** The θ that lie 1.96 of their own standard errors from the estimate; the error is Hanley and McNeil's (1982). */
function superiorityInterval(estimate: number, n: number, m: number): Interval {
  const variance = (p: number): number =>
    ((p * (1 - p)) / (n * m)) * (1 + ((n + m) / 2 - 1) * ((1 - p) / (2 - p) + p / (1 + p)));
  const bound = (end: 0 | 1): number => {
    let [inside, outside] = [estimate, end as number];
    for (let step = 0; step < 60; step++) {
      const middle = (inside + outside) / 2;
      if (Math.abs(estimate - middle) > NORMAL_95 * Math.sqrt(variance(middle))) outside = middle;
      else inside = middle;
    }
    return inside;
  };
  return { low: bound(0), high: bound(1) };
}
