/**
 * Questions about high-divergence logs and other log files, answered by an embedded SQL database.
 *
 * @module
 */
export { type AnalyzeOptions, analyzeLog } from "./analyze-log.ts";
export { type QueryResult, queryFiles } from "./query-files.ts";
