/**
 * Two policies beside each other: pairs of sequences, their bits, the test of equivalence, and the certificate as a
 * `CompareReport`. Paths and files belong in `src/analyses/runs`, text in `src/render/compare`.
 *
 * @module
 */
export {
  buildCompareReport,
  type CompareInputs,
  DEFAULT_ALPHA,
  DEFAULT_WITHIN,
} from "./build-compare-report.ts";
export { type ColumnPair, type Compared, Comparison, type ComparisonOptions } from "./comparison.ts";
