/**
 * Files of logged metrics, as series of numbers over steps: what trainers write next to their dumps, and what loggers
 * export. The meaning of metrics belongs in `trainers/logged`, dumps of log-probs in `adapters`.
 *
 * @module
 */

export { findSeriesFiles } from "./find.ts";
export { nameSeries } from "./name.ts";
export { readSeriesFile } from "./read.ts";
export type { LoggedSeries, SeriesFile, SeriesForm } from "./series.ts";
