import { normalTail } from "./distributions.ts";
import type { WilcoxonResult } from "./result.ts";
import { rankSum, requirePairs, sortedCopy } from "./sample.ts";

/**
 * Wilcoxon's signed-rank test for pairs (or, with one argument, for differences from 0), as `scipy.stats.wilcoxon` with
 * the normal approximation: pairs that do not differ are left out, no correction for continuity.
 *
 * `statistic` is the smaller of the rank sums of positive and negative differences, ranked by size. With n pairs and
 * groups of t equal sizes, z = (R₊ − n(n+1)/4) / √((n(n+1)(2n+1) − Σ(t³ − t)/2) / 24).
 * Source: Hollander and Wolfe, "Nonparametric Statistical Methods", chapter 3. Rank-biserial: Kerby 2014.
 *
 * The approximation wants ten pairs or more.
 *
 * @returns NaN where a difference is NaN or there are none; where no pair differs, `statistic` is 0 and the rest NaN.
 * @throws LengthMismatchError where the samples are no pairs.
 */
export function wilcoxonSignedRank(a: ArrayLike<number>, b?: ArrayLike<number>): WilcoxonResult {
  if (b) requirePairs("The signed-rank test", a, b);
  const differences = Float64Array.from(a, (value, index) => value - (b ? b[index]! : 0));
  const above = sortedCopy(differences.filter((difference) => !(difference <= 0)));
  const below = sortedCopy(differences.filter((difference) => difference < 0).map(Math.abs));
  const pairs = (above?.length ?? 0) + (below?.length ?? 0);
  if (!above || !below || pairs === 0) {
    const statistic = above && below && a.length > 0 ? 0 : Number.NaN;
    return { statistic, pValue: Number.NaN, z: Number.NaN, pairs, rankBiserial: Number.NaN };
  }
  const { rankSum: positive, tieTerm } = rankSum(above, below);
  const all = (pairs * (pairs + 1)) / 2;
  const spread = Math.sqrt((pairs * (pairs + 1) * (2 * pairs + 1) - tieTerm / 2) / 24);
  const z = (positive - all / 2) / spread;
  return {
    statistic: Math.min(positive, all - positive),
    pValue: normalTail(z),
    z,
    pairs,
    rankBiserial: (2 * positive - all) / all,
  };
}
