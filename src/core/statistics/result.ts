/**
 * What the tests return.
 *
 * @module
 */

/** A 95 % confidence interval, in the unit of its figure; NaN if the data do not determine it. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Every test: its statistic and the two-sided p-value. Both are NaN if the data do not determine them. */
export interface TestResult {
  readonly statistic: number;
  /** Two-sided, from 0 to 1; small values keep their relative accuracy down to about 1e-300. */
  readonly pValue: number;
}

/** Two independent samples, their means compared. Differences and means are in the unit of the data. */
export interface TTestResult extends TestResult {
  /** `student`: one pooled variance; `welch`: each sample its own. */
  readonly method: "student" | "welch";
  /** Not an integer with `welch`. */
  readonly degreesOfFreedom: number;
  readonly meanA: number;
  readonly meanB: number;
  /** mean(a) − mean(b). */
  readonly meanDifference: number;
  /** For {@link meanDifference}. */
  readonly meanDifferenceInterval: Interval;
  /** √((Σ(a − ā)² + Σ(b − b̄)²) / (n + m − 2)). */
  readonly pooledDeviation: number;
  /** meanDifference over the pooled standard deviation, with either method. */
  readonly cohenD: number;
  /** Cohen's d without its bias in small samples. */
  readonly hedgesG: number;
  /** For {@link hedgesG}. */
  readonly hedgesGInterval: Interval;
}

/** Compares the order of two independent samples. */
export interface MannWhitneyResult extends TestResult {
  /** How far U lies from its expectation, in standard deviations; above 0 if `a` tends to be larger. */
  readonly z: number;
  /** P(a > b) + P(a = b) / 2 for one value of each: ½ if neither tends to be larger. */
  readonly probabilityOfSuperiority: number;
  /** 2 · probabilityOfSuperiority − 1: from −1 (each of a below each of b) to 1. */
  readonly rankBiserial: number;
  /** For {@link rankBiserial}. */
  readonly rankBiserialInterval: Interval;
}

/** Pairs, or differences from 0. */
export interface WilcoxonResult extends TestResult {
  readonly z: number;
  /** Pairs that differ: the others are left out. */
  readonly pairs: number;
  /** (rank sum of a > b − rank sum of a < b) / all ranks: from −1 to 1. */
  readonly rankBiserial: number;
}

/** Pairs; `statistic` is the correlation coefficient, which is the effect size as well. */
export interface CorrelationResult extends TestResult {
  readonly pairs: number;
  /** For the coefficient. */
  readonly interval: Interval;
}

/** Two independent samples; `statistic` is the largest distance between their distribution functions. */
export interface KolmogorovSmirnovResult extends TestResult {
  /** The value at which the distance is largest. */
  readonly location: number;
  /** 1 if a's distribution function is above b's at {@link location} (a tends to be smaller), −1 if below. */
  readonly sign: 1 | -1;
}

/** Two groups' means, values in clusters. Differences and means are in the unit of the data. */
export interface ClusteredDifference extends TestResult {
  /** Of the contrast; not an integer, and at most the clusters − 2 or so: fewer where one group is small. */
  readonly degreesOfFreedom: number;
  readonly clusters: number;
  /** Clusters with a value in the first group, and in the second; one may be in both. */
  readonly clustersA: number;
  readonly clustersB: number;
  readonly meanA: number;
  readonly meanB: number;
  /** meanA − meanB. */
  readonly difference: number;
  readonly standardError: number;
  /** For {@link difference}. */
  readonly interval: Interval;
}

/** A share of values in clusters. */
export interface ClusteredShare {
  readonly share: number;
  readonly clusters: number;
  /** The number of independent draws equivalent to the clusters. */
  readonly draws: number;
  /** For {@link share}. */
  readonly interval: Interval;
}

/** A path's drift. */
export interface DriftResult extends TestResult {
  readonly degreesOfFreedom: number;
  /** Per unit of time. */
  readonly drift: number;
  /** For {@link drift}. */
  readonly interval: Interval;
}
