/**
 * Files of logged metrics, as series of numbers over steps: what trainers write beside their dumps, and what loggers
 * export. Which metric means what is known in `trainers/logged`; dumps of log-probs belong to `adapters`.
 *
 * @module
 */

export { findSeriesFiles, isSeriesName } from "./find.ts";
export { nameSeries } from "./name.ts";
export { readSeriesFile } from "./read.ts";
export type { LoggedSeries, SeriesFile, SeriesForm } from "./series.ts";
