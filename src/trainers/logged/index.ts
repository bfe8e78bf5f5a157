/**
 * Mismatch metrics in trainers' logs: what each key means, and which of our figures it corresponds to. How a trainer
 * computes them belongs in its own folder (`parity`, `metrics` of presets), reading the logs in `input/ingest/series`.
 *
 * @module
 */
export type { LoggedMetric } from "./metric.ts";
export { type RecognisedMetric, recogniseMetric } from "./recognise.ts";
