/**
 * Metrics in trainers' logs: what each key of the mismatch means, and which of our figures it corresponds to; which keys
 * are a run's reward, entropy, clipping. How a trainer
 * computes them belongs in its own folder (`parity`, `metrics` of presets), reading the logs in `input/ingest/series`.
 *
 * @module
 */
export type { LoggedMetric } from "./metric.ts";
export { type RecognisedMetric, recogniseMetric } from "./recognise.ts";
export { type RunMetric, type RunMetricKind, recogniseRunMetric } from "./run-metrics.ts";
