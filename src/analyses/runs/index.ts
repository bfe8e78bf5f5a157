/**
 * Whole runs, from paths to results: what the command line and a program that uses this package share. For Node.
 *
 * @module
 */

export { type CompareRunsOptions, compareRuns } from "./compare-runs.ts";
export {
  type DiagnoseRunOptions,
  diagnoseOpenRun,
  diagnoseRun,
  diagnosisOf,
  parseTrainer,
} from "./diagnose-run.ts";
export { type DigitsRunOptions, digitsRun } from "./digits-run.ts";
export { type LogFileOptions, openLogFile } from "./divergence-log.ts";
export {
  type DivergenceRunOptions,
  divergenceRun,
  type LogSettings,
  openLogSettings,
} from "./divergence-run.ts";
export { compileFilter, type FilterOptions } from "./filter-option.ts";
export {
  type GateInput,
  type GateRunOptions,
  gateRun,
  learnFromRuns,
  type UpdatedBaseline,
  type UpdateOptions,
} from "./gate-run.ts";
export { openTruth } from "./ground-truth.ts";
export { INPUT_NAMES, inputFlags, parseRunInput, type RunInput, stepFilter } from "./input-options.ts";
export { nothingToCompare } from "./nothing-to-compare.ts";
export { type BatchOptions, noteFilter, readBatches, sourceSummaries } from "./read-batches.ts";
export {
  filesOfLogged,
  hasNoDumps,
  joinLogged,
  type LoggedPaths,
  parityOfLogged,
  readLogged,
} from "./read-logged.ts";
export { readReportFile } from "./read-report-file.ts";
export {
  type OpenRunReport,
  parseParity,
  type ReportRunOptions,
  reportOnePolicy,
  reportOpenRun,
  reportRun,
} from "./report-run.ts";
export { type ShowRunOptions, showRun } from "./show-run.ts";
export { openSpeller, spellReport } from "./spell-report.ts";
export type { ReadingOptions } from "./start-reading.ts";
export { type LoggedStep, StepLog, type StepLogOptions } from "./step-log.ts";
export { type SweepRunOptions, sweepRun } from "./sweep-run.ts";
