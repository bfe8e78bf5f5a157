/**
 * What needs Node: files, whole runs, tokenizers, threads. `reportRun` is the one call from paths to the report.
 *
 * @module
 */
export { type AnalyzeOptions, analyzeLog } from "./analyses/analyze/index.ts";
export {
  type CompareRunsOptions,
  compareRuns,
  type DiagnoseRunOptions,
  type DigitsRunOptions,
  type DivergenceRunOptions,
  diagnoseRun,
  digitsRun,
  divergenceRun,
  type GateRunOptions,
  gateRun,
  type ReportRunOptions,
  reportRun,
  type ShowRunOptions,
  type SweepRunOptions,
  showRun,
  sweepRun,
} from "./analyses/runs/index.ts";
export {
  appendJsonl,
  type ColumnMapping,
  openDocument,
  openRun,
  type Progress,
  type ReadOptions,
  type Run,
  type SourceReport,
  type WriteRecordOptions,
  writeRecord,
} from "./input/ingest/index.ts";
export {
  type ByteSource,
  type ByteStream,
  isMap,
  isTensor,
  memorySource,
  openFile,
  type PickledObject,
  type RowDocument,
  type SourceDocument,
  type Tensor,
  type TreeDocument,
  type TreeMap,
  type TreeValue,
} from "./input/io/index.ts";
export { openTokenizer, type TokenDecoder } from "./input/tokens/index.ts";
export type {
  AnalyzeReport,
  CompareReport,
  DigitsReport,
  DivergenceReport,
  DoctorReport,
  GateReport,
  LintReport,
  MismatchReport,
  ShowReport,
  SweepReport,
} from "./results/index.ts";
export { type LintOptions, lintConfig } from "./trainers/configs/index.ts";
