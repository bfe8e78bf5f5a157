/**
 * What there is to know of each figure: one entry, which everything that names, draws, compares or filters by it reads.
 *
 * @module
 */
export {
  isRunMetric,
  type MetricScale,
  type PartMetricKey,
  RUN_METRICS,
  type RunMetric,
  type RunMetricKey,
  runMetric,
  STEP_METRICS,
  STEP_ONLY_METRICS,
  type StepMetric,
} from "./run-metrics.ts";
export {
  SEQUENCE_COLUMNS,
  SEQUENCE_ENTRIES,
  SEQUENCE_TEXTS,
  type SequenceColumn,
  type SequenceEntry,
  type SequenceText,
} from "./sequence-columns.ts";
export {
  entropyWords,
  TOKEN_METRIC_NAMES,
  TOKEN_METRICS,
  type TokenMetric,
  type TokenMetricName,
  tokenMetricNamed,
} from "./token-metrics.ts";
