/**
 * Metrics in trainers' logs: what each key of the mismatch means, and which of our figures it corresponds to; which keys
 * are a run's reward, entropy, clipping. The keys, and how a trainer computes what they hold, are in its own folder
 * (`logged`, `parity`, `metrics` of presets); reading the logs belongs in `input/ingest/series`.
 *
 * @module
 */
export { type LoggedMetric, type RecognisedMetric, recogniseMetric } from "./recognise.ts";
export { type RunMetric, recogniseRunMetric } from "./run-metrics.ts";
