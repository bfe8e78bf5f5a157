/**
 * Logged metrics: which of them are mismatch metrics, how they stand to the published baselines, and whether they are
 * what the dumps of the same steps give. Reading files belongs in `input/ingest/series`, drawing in `render/series`.
 *
 * @module
 */
export { buildSeriesReport } from "./build-series-report.ts";
export { compareSeries } from "./compare.ts";
export type { SeriesInput } from "./series-input.ts";
