/**
 * The metrics by which trainers' dashboards show mismatch: what each key means and which of our figures it is. How a
 * trainer computes them is in its own folder (`parity`, `metrics` of presets); where they are written, in
 * `input/ingest/series`.
 *
 * @module
 */
export type { LoggedMetric } from "./metric.ts";
export { type RecognisedMetric, recogniseMetric } from "./recognise.ts";
