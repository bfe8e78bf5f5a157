/**
 * Hypothesis tests, as scipy computes them, with effect sizes and intervals.
 *
 * @module
 */
export { CUT_RATE, findChangePoints } from "./change-points.ts";
export { clusterInterval } from "./cluster-interval.ts";
export { clusteredDifference, clusteredShare, wilson } from "./clusters.ts";
export { pearsonTest, spearmanTest } from "./correlation.ts";
export { studentTail } from "./distributions.ts";
export { driftTest } from "./drift.ts";
export {
  type Amount,
  FEWEST_FOR_BROKEN,
  FEWEST_SEQUENCES,
  FEWEST_TOKENS,
  isEnough,
  tellMissing,
} from "./enough.ts";
export { clusteredFactor, type Factor, type TwoParts } from "./factor.ts";
export { countTail, paretoTailIndex, weightTailIndex } from "./generalized-pareto.ts";
export { kolmogorovSmirnov } from "./kolmogorov-smirnov.ts";
export { mannWhitneyU } from "./mann-whitney.ts";
export { maxStatisticTest } from "./max-statistic.ts";
export {
  boundMean,
  boundShareOfNone,
  FEWEST_BOUND_CLUSTERS,
  type MeanBounds,
  studentQuantile,
} from "./mean-bound.ts";
export { ratioInterval } from "./mean-interval.ts";
export { median } from "./median.ts";
export { benjaminiHochberg, holm } from "./multiple-testing.ts";
export type { GroupedUnits } from "./permutations.ts";
export { poissonBinomialTail } from "./poisson-binomial.ts";
export { seededRandom } from "./random.ts";
export { rareRate, rareShare } from "./rare-rate.ts";
export { clusteredRatioDifference, type RatioDifference } from "./ratio-difference.ts";
export type {
  ClusteredDifference,
  ClusteredShare,
  CorrelationResult,
  DriftResult,
  Interval,
  KolmogorovSmirnovResult,
  MannWhitneyResult,
  TestResult,
  TTestResult,
  WilcoxonResult,
} from "./result.ts";
export { type TTestOptions, tTest } from "./t-test.ts";
export { exactSignedRank, wilcoxonSignedRank } from "./wilcoxon.ts";
