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

/** With fewer clusters in either group, a mean and its variance depend on single ones. */
export const FEWEST_TO_COMPARE = 6;

/**
 * Compares two groups' means with any dependence within clusters: the coefficient of an indicator in ordinary least
 * squares with the bias-reduced cluster-robust variance CR2, against Student's t with the degrees of freedom of this
 * contrast. A cluster may have values in both groups.
 *
 * With n_s values in group s, h = n_cs / n_s the share of them in cluster c, and residuals e = y − ȳ_s, the variance is
 * Σ_c (Σ_s ± Σ_{c∩s} e / (n_s √(1 − h)))². The degrees of freedom are (tr M)² / tr M², M the covariance of the clusters'
 * terms, so that a small group, or one with most of its values in few clusters, has few. Source: Bell and McCaffrey,
 * "Bias reduction in standard errors for linear regression with multi-stage samples", Survey Methodology 28 (2002);
 * Imbens and Kolesár, "Robust standard errors in small samples", Rev. Econ. Statist. 98 (2016), whose values of one
 * cluster are correlated in M; here they are equal within cluster and group, the worst case, since with independent
 * ones (Bell and McCaffrey) the test rejects too often where clusters are alike and differ in size.
 *
 * @param inFirst whether a value belongs to the first group; the difference is first − second
 * @param clusters a value's cluster: any numbers, equal for one cluster
 * @returns NaN for statistic, p-value and interval if a group has fewer than two clusters or a value is NaN
 * @throws UsageError if the three differ in length
 */
export function clusteredDifference(
  values: ArrayLike<number>,
  inFirst: ArrayLike<boolean | number>,
  clusters: ArrayLike<number>,
): ClusteredDifference {
  requireAligned(values, inFirst, clusters);
  const numbers = new Map<number, number>();
  const places = Array.from(clusters, (cluster) => {
    const place = numbers.get(cluster) ?? numbers.size;
    numbers.set(cluster, place);
    return place;
  });
  const inSecond = Array.from(inFirst, (first) => !first);
  const first = sumGroup(values, (i) => !inSecond[i], places, numbers.size);
  const second = sumGroup(values, (i) => inSecond[i]!, places, numbers.size);
  const scores = first.scores.map((score, c) => score - second.scores[c]!);
  const degreesOfFreedom = contrastFreedom(first, second);
  const difference = first.mean - second.mean;
  const enough = Math.min(first.clusters, second.clusters) > 1;
  const standardError = enough ? Math.sqrt(squares(scores)) : Number.NaN;
  const statistic = difference / standardError;
  const margin = studentQuantile95(degreesOfFreedom) * standardError;
  return {
    statistic,
    pValue: studentTail(statistic, degreesOfFreedom),
    degreesOfFreedom,
    clusters: numbers.size,
    clustersA: first.clusters,
    clustersB: second.clusters,
    meanA: first.mean,
    meanB: second.mean,
    difference,
    standardError,
    interval: { low: difference - margin, high: difference + margin },
  };
}

interface Group {
  readonly mean: number;
  /** Number of clusters with a value of the group. */
  readonly clusters: number;
  /** By cluster: its share h of the group's values, and h / √(1 − h). */
  readonly shares: readonly number[];
  readonly weights: readonly number[];
  /** By cluster: Σ e / (n √(1 − h)). */
  readonly scores: readonly number[];
}

function sumGroup(
  values: ArrayLike<number>,
  isMember: (index: number) => boolean,
  places: readonly number[],
  clusters: number,
): Group {
  const counts = new Array<number>(clusters).fill(0);
  const members = places.flatMap((place, i) => {
    if (!isMember(i)) return [];
    counts[place]!++;
    return [i];
  });
  const mean = computeMean(members.map((i) => values[i]!));
  const residuals = new Array<number>(clusters).fill(0);
  for (const i of members) residuals[places[i]!]! += values[i]! - mean;
  const shares = counts.map((count) => count / members.length);
  return {
    mean,
    clusters: counts.filter((count) => count > 0).length,
    shares,
    weights: shares.map((share) => share / Math.sqrt(1 - share)),
    scores: residuals.map((sum, c) => sum / members.length / Math.sqrt(1 - shares[c]!)),
  };
}

/**
 * (tr M)² / tr M² for M = Σ_s W (I − h1ᵀ)(I − 1hᵀ) W over both groups, W = diag(weights), h = shares: the covariance of
 * {@link Group.scores} of values that are equal within cluster and group, and otherwise independent.
 */
function contrastFreedom(first: Group, second: Group): number {
  const groups = [first, second].map(({ weights, shares }) => ({
    weights,
    shares,
    weighted: weights.map((weight, c) => weight * shares[c]!),
    sum: squares(shares),
  }));
  let trace = 0;
  let all = 0;
  first.weights.forEach((_, c) => {
    let [own, common] = [0, 0];
    for (const { weights, shares, sum } of groups) {
      own += weights[c]! ** 2;
      common += weights[c]! ** 2 * (sum - 2 * shares[c]!);
    }
    trace += own + common;
    all += own * (own + 2 * common);
  });
  for (const a of groups)
    for (const b of groups) {
      const weights = dot(a.weights, b.weights);
      const [ahead, behind] = [dot(a.weighted, b.weights), dot(a.weights, b.weighted)];
      all +=
        weights * (weights * a.sum * b.sum - 2 * (a.sum * behind + b.sum * ahead)) +
        2 * (weights * dot(a.weighted, b.weighted) + ahead * behind);
    }
  return trace ** 2 / all;
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

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

function requireAligned(first: ArrayLike<unknown>, ...others: readonly ArrayLike<unknown>[]): void {
  for (const other of others)
    if (other.length !== first.length)
      throw new UsageError(
        `expected one cluster and group per value, got ${first.length} values and ${other.length}`,
      );
}
