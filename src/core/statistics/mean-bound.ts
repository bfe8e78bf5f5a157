/**
 * Bounds of a mean over tokens, for tests of equivalence; prompts were drawn, not tokens. Equals `bound_mean` of
 * `python/logratio/agree/statistics.py`.
 *
 * @module
 */
import { studentTail } from "./distributions.ts";

/** With fewer clusters a bound depends more on its assumptions than on the data. */
export const FEWEST_BOUND_CLUSTERS = 10;

/** A mean with one-sided bounds on either side; if it has none, `reason` says why. */
export interface MeanBounds {
  readonly mean: number;
  readonly low: number | undefined;
  readonly high: number | undefined;
  readonly clusters: number;
  readonly reason?: string;
}

/**
 * Bounds of Σ sums / Σ counts, each valid with probability 1 − alpha: both one-sided tests of Schuirmann (1987, J.
 * Pharmacokinet. Biopharm. 15) reject at `alpha` exactly when both bounds lie within the tolerance.
 *
 * The variance is that of a ratio of two sums over independent clusters, G/(G − 1) Σ(Sᵢ − μ nᵢ)² / (Σnᵢ)², with
 * Student's t at G − 1 degrees of freedom. |Δ| is skewed, which makes plain t bounds too low; Hall's cubic
 * transformation (1992, J. R. Statist. Soc. B 54, equation 2.2) removes the first term of the skewness, and if every
 * sum is positive the upper bound is also at least that of a log-normal mean (Cox's method, in Land 1972, Technometrics
 * 14), and of a ratio of two, of sums to counts, in which longer clusters may be further off; the latter up to the
 * largest of clusters' means, since lengths need not be log-normal. Each bound is the widest of these.
 *
 * @param sums of each cluster, the sum over its tokens
 * @param counts of each cluster, its tokens; clusters without tokens are ignored
 */
export function boundMean(
  allSums: ArrayLike<number>,
  allCounts: ArrayLike<number>,
  alpha: number,
): MeanBounds {
  const sums: number[] = [];
  const counts: number[] = [];
  for (let i = 0; i < allCounts.length; i++) {
    if (!(allCounts[i]! > 0)) continue;
    sums.push(allSums[i]!);
    counts.push(allCounts[i]!);
  }
  const clusters = sums.length;
  const total = add(counts);
  const mean = add(sums) / total;
  if (clusters < FEWEST_BOUND_CLUSTERS) {
    const reason = `${clusters} of at least ${FEWEST_BOUND_CLUSTERS}`;
    return { mean, low: undefined, high: undefined, clusters, reason };
  }
  const residuals = sums.map((sum, i) => sum - mean * counts[i]!);
  const squares = add(residuals.map((residual) => residual ** 2));
  if (squares <= (1e-12 * Math.max(Math.abs(mean), 1e-300) * total) ** 2)
    return { mean, low: mean, high: mean, clusters };
  const error = Math.sqrt((clusters / (clusters - 1)) * squares) / total;
  // Sample skewness is bounded by the sample; this factor (Joanes and Gill 1998) makes it unbiased for a normal one.
  const factor = Math.sqrt(clusters * (clusters - 1)) / (clusters - 2);
  const third = add(residuals.map((residual) => residual ** 3)) / clusters;
  const skewness = (factor * third) / (squares / clusters) ** 1.5;
  const quantile = studentQuantile(alpha, clusters - 1);
  const bend = skewness / Math.sqrt(clusters);
  const high = mean + error * Math.max(quantile, -bendBack(-quantile, bend));
  const low = mean - error * Math.max(quantile, bendBack(quantile, bend));
  return {
    mean,
    low,
    high: Math.max(high, boundLogNormal(sums, counts, quantile), boundByLength(sums, counts, quantile)),
    clusters,
  };
}

function add(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** Upper bound of the mean if clusters' means are log-normal, weighted by tokens; −∞ if one is not positive. */
function boundLogNormal(sums: readonly number[], counts: readonly number[], quantile: number): number {
  if (sums.some((sum) => !(sum > 0))) return Number.NEGATIVE_INFINITY;
  const total = add(counts);
  const weights = counts.map((count) => count / total);
  const logs = sums.map((sum, i) => Math.log(sum / counts[i]!));
  const groups = 1 / add(weights.map((weight) => weight ** 2));
  if (groups < 2) return Number.NEGATIVE_INFINITY;
  const center = add(logs.map((log, i) => weights[i]! * log));
  const spread = add(logs.map((log, i) => weights[i]! * (log - center) ** 2));
  const variance = (spread * groups) / (groups - 1);
  const error = Math.sqrt(variance / groups + variance ** 2 / (2 * (groups - 1)));
  // Beyond this the exponential overflows a double.
  return Math.exp(Math.min(700, center + variance / 2 + quantile * error));
}

/**
 * Upper bound of the mean if clusters' sums and counts are log-normal together, at most the largest of clusters' means;
 * −∞ if a sum is not positive.
 */
function boundByLength(sums: readonly number[], counts: readonly number[], quantile: number): number {
  if (sums.some((sum) => !(sum > 0))) return Number.NEGATIVE_INFINITY;
  const clusters = sums.length;
  const [logs, lengths] = [sums, counts].map((values) => values.map(Math.log)) as [number[], number[]];
  const [log, length] = [add(logs) / clusters, add(lengths) / clusters];
  const covary = (f: (i: number) => number): number => add(logs.map((_, i) => f(i))) / (clusters - 1);
  const variance = covary((i) => (logs[i]! - log) ** 2);
  const varianceOfLengths = covary((i) => (lengths[i]! - length) ** 2);
  const covariance = covary((i) => (logs[i]! - log) * (lengths[i]! - length));
  const center = log - length + (variance - varianceOfLengths) / 2;
  const squares =
    Math.max(0, variance + varianceOfLengths - 2 * covariance) / clusters +
    Math.max(0, variance ** 2 + varianceOfLengths ** 2 - 2 * covariance ** 2) / (2 * (clusters - 1));
  const largest = Math.max(...logs.map((value, i) => value - lengths[i]!));
  return Math.exp(Math.min(largest, center + quantile * Math.sqrt(squares)));
}

/** The t whose image under Hall's transformation is `value`; `bend` is skewness / √G. */
function bendBack(value: number, bend: number): number {
  if (Math.abs(bend) < 1e-9) return value;
  return (3 / bend) * (Math.cbrt(1 + bend * (value - bend / 6)) - 1);
}

/** The t with P(T > t) = `tail`, for a tail below one half; by bisection. */
export function studentQuantile(tail: number, degreesOfFreedom: number): number {
  let [low, high] = [0, 1];
  while (studentTail(high, degreesOfFreedom) / 2 > tail) high *= 2;
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (studentTail(middle, degreesOfFreedom) / 2 > tail) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * The largest share that is compatible with no occurrence in n independent draws: 1 − alpha^(1/n), the one-sided bound
 * of Clopper and Pearson (Biometrika 26, 1934). At 95 % it is about 3/n, the rule of three.
 */
export function boundShareOfNone(n: number, alpha: number): number {
  return n > 0 ? -Math.expm1(Math.log(alpha) / n) : 1;
}

/** How far off a kind of prompt that was not seen is taken to be, in units of the mean of those that were. */
export const UNSEEN_FACTOR = 50;

/**
 * The largest mean if the largest share of clusters that may have gone unseen ({@link boundShareOfNone}) is {@link
 * UNSEEN_FACTOR} times as far off as those that were seen: (1 − s) · high + s · 50 · mean, in the unit of the mean;
 * undefined without bounds. What was not seen has no bound that the data could give, so this one is an assumption.
 */
export function boundUnseen({ mean, high, clusters }: MeanBounds, alpha: number): number | undefined {
  if (high === undefined) return undefined;
  const share = boundShareOfNone(clusters, alpha);
  return (1 - share) * high + share * UNSEEN_FACTOR * mean;
}
