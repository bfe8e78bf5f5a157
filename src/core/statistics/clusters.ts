/**
 * Means and shares of values that come in clusters: responses to one prompt, tokens of one response.
 *
 * Values of one cluster are similar, so many of them say little more than a few: intervals and tests count clusters.
 *
 * @module
 */
import { UsageError } from "../base/errors.ts";
import { NORMAL_95, studentQuantile95, studentTail } from "./distributions.ts";
import type { ClusteredDifference, ClusteredShare, Interval } from "./result.ts";
import { computeMean } from "./sample.ts";

/**
 * Compares two groups' means with any dependence within clusters: the coefficient of an indicator in ordinary least
 * squares with the cluster-robust variance CR1, against Student's t with G − 1 degrees of freedom.
 *
 * With n values in G clusters c, n_a of them in the first group, their mean ȳ_a, residuals e = y − ȳ of each value's
 * group: variance = G/(G − 1) · (n − 1)/(n − 2) · Σ_c (Σ_{c∩a} e / n_a − Σ_{c∩b} e / n_b)². A cluster may have values
 * in both groups. Source: Cameron and Miller, "A practitioner's guide to cluster-robust inference", J. Human Resources
 * 50 (2015), II.B and VI.D; the same as statsmodels' OLS with `cov_type="cluster"` and `use_t`.
 *
 * @param inFirst whether a value belongs to the first group; the difference is first − second
 * @param clusters a value's cluster: any numbers, equal for one cluster
 * @returns NaN for all but the counts if a group is empty, there are fewer than three values or two clusters, or a
 * value is NaN
 * @throws UsageError if the three differ in length
 */
export function clusteredDifference(
  values: ArrayLike<number>,
  inFirst: ArrayLike<boolean | number>,
  clusters: ArrayLike<number>,
): ClusteredDifference {
  requireAligned(values, inFirst, clusters);
  const count = values.length;
  const groups: [number[], number[]] = [[], []];
  for (let i = 0; i < count; i++) groups[inFirst[i] ? 0 : 1].push(values[i]!);
  const [meanA, meanB] = [computeMean(groups[0]), computeMean(groups[1])];
  const scores = new Map<number, number>();
  const reached: [Set<number>, Set<number>] = [new Set(), new Set()];
  for (let i = 0; i < count; i++) {
    const [side, sign, mean] = inFirst[i] ? ([0, 1, meanA] as const) : ([1, -1, meanB] as const);
    const cluster = clusters[i]!;
    reached[side].add(cluster);
    scores.set(cluster, (scores.get(cluster) ?? 0) + (sign * (values[i]! - mean)) / groups[side].length);
  }
  const degreesOfFreedom = scores.size - 1;
  const difference = meanA - meanB;
  const enough = count > 2 && scores.size > 1;
  const variance = enough
    ? (scores.size / degreesOfFreedom) * ((count - 1) / (count - 2)) * squares(scores.values())
    : Number.NaN;
  const standardError = Math.sqrt(variance);
  const statistic = difference / standardError;
  const margin = studentQuantile95(degreesOfFreedom) * standardError;
  return {
    statistic,
    pValue: studentTail(statistic, degreesOfFreedom),
    degreesOfFreedom,
    clusters: scores.size,
    clustersA: reached[0].size,
    clustersB: reached[1].size,
    meanA,
    meanB,
    difference,
    standardError,
    interval: { low: difference - margin, high: difference + margin },
  };
}

/**
 * A share of values that come in clusters, with its 95 % interval: Wilson's, for the effective number of independent
 * draws of the clusters, with Student's t of G − 1 degrees of freedom.
 *
 * With p the share in n values, v = G/(G − 1) · Σ_c (Σ_c (x − p))² / n² its variance over clusters, the draws are n* =
 * p(1 − p)/v, not more than n. A share of 0 or 1 has no such v: there every cluster counts as one draw. Source: Dean
 * and Pagano, "Evaluating confidence interval methods for binomial proportions in clustered surveys", J. Survey
 * Statistics and Methodology 3 (2015); Korn and Graubard, Survey Methodology 24 (1998).
 *
 * @param hits 1 or true for a value that counts
 * @returns NaN for share and interval of no values; an interval of 0 to 1 for a single cluster
 * @throws UsageError if the two differ in length
 */
export function clusteredShare(
  hits: ArrayLike<boolean | number>,
  clusters: ArrayLike<number>,
): ClusteredShare {
  requireAligned(hits, clusters);
  const count = hits.length;
  let sum = 0;
  for (let i = 0; i < count; i++) sum += hits[i] ? 1 : 0;
  const share = sum / count;
  const scores = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    const cluster = clusters[i]!;
    scores.set(cluster, (scores.get(cluster) ?? 0) + (hits[i] ? 1 : 0) - share);
  }
  const known = scores.size;
  if (known < 2)
    return {
      share,
      clusters: known,
      draws: known,
      interval: known === 1 ? { low: 0, high: 1 } : { low: Number.NaN, high: Number.NaN },
    };
  const variance = ((known / (known - 1)) * squares(scores.values())) / count ** 2;
  const certain = share === 0 || share === 1;
  const draws = certain ? known : Math.min(count, (share * (1 - share)) / variance);
  const freedom = certain ? known - 1 : effectiveFreedom([...scores.values()]);
  return { share, clusters: known, draws, interval: wilson(share, draws, studentQuantile95(freedom)) };
}

/**
 * Degrees of freedom that a variance over clusters is worth: 2 / (Σ s⁴ / (Σ s²)² − 1/G), not more than G − 1. A
 * variance dominated by a few clusters is as uncertain as if there were only those. Source: Satterthwaite, "An
 * approximate distribution of estimates of variance components", Biometrics Bulletin 2 (1946), with the observed
 * fourth moment.
 */
function effectiveFreedom(scores: readonly number[]): number {
  const second = squares(scores);
  const fourth = squares(scores.map((score) => score * score));
  // For equal scores it is 0, but may round to less, which does not mean a single degree of freedom.
  const excess = Math.max(0, fourth / second ** 2 - 1 / scores.length);
  return Math.max(1, Math.min(scores.length - 1, 2 / excess));
}

/**
 * 95 % interval of a share seen in n independent draws.
 *
 * Source: Wilson, "Probable inference, the law of succession, and statistical inference", J. Am. Statist. Assoc. 22
 * (1927).
 *
 * @param z quantile that the interval reaches to; default that of the normal distribution
 */
export function wilson(share: number, n: number, z = NORMAL_95): Interval {
  const z2 = z * z;
  const centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const half = (z / (1 + z2 / n)) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

function squares(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value * value;
  return sum;
}

function requireAligned(first: ArrayLike<unknown>, ...others: readonly ArrayLike<unknown>[]): void {
  for (const other of others)
    if (other.length !== first.length)
      throw new UsageError(
        `expected one cluster and group per value, got ${first.length} values and ${other.length}`,
      );
}
