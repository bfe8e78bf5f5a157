/**
 * From paths to batches of the record. What writes is in `writing` and `outputs`, with an entry of its own.
 *
 * @module
 */

export type { ColumnMapping } from "../input/adapters/adapter.ts";
export { describeChecks } from "./alignment/describe-checks.ts";
export { type Align, parseAlign } from "./alignment/parse-align.ts";
export type { SourceChecks } from "./alignment/source-checks.ts";
export { closeQuietly, containFileError } from "./contain.ts";
export { type GrowingRun, growingRun } from "./growing-run.ts";
export { openDocument } from "./open-document.ts";
export { openRun, type Run } from "./open-run.ts";
export { openShards, type Shard } from "./open-shards.ts";
export type { ReadOptions } from "./options.ts";
export type { Progress } from "./progress.ts";
export type { Meter } from "./read-one.ts";
export { type KeptChecks, keepChecks, reportSharedShift } from "./read-run.ts";
export { reportRecorders } from "./recorders.ts";
export { reportOutside, reportWaiting } from "./report-walk.ts";
export {
  type FileOutcome,
  type FileReading,
  type RunFacts,
  type RunFile,
  type RunFiles,
  readRunFile,
  splitRun,
} from "./run-files.ts";
export { findSeriesFiles } from "./series/find.ts";
export { compareReports, type SourceReport } from "./sources.ts";
export { walk } from "./walk.ts";
