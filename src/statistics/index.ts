/**
 * Hypothesis tests, as scipy computes them, with effect sizes and intervals.
 *
 * @module
 */
export { clusterInterval } from "./cluster-interval.ts";
export { pearsonTest, spearmanTest } from "./correlation.ts";
export { paretoTailIndex } from "./generalized-pareto.ts";
export { kolmogorovSmirnov } from "./kolmogorov-smirnov.ts";
export { mannWhitneyU } from "./mann-whitney.ts";
export { benjaminiHochberg, holm } from "./multiple-testing.ts";
export type {
  CorrelationResult,
  Interval,
  KolmogorovSmirnovResult,
  MannWhitneyResult,
  TestResult,
  TTestResult,
  WilcoxonResult,
} from "./result.ts";
export { type TTestOptions, tTest } from "./t-test.ts";
export { wilcoxonSignedRank } from "./wilcoxon.ts";
