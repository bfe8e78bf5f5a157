/**
 * What needs Node: files, whole runs, tokenizers, threads. `reportRun` is the one call from paths to the report.
 *
 * @module
 */
export { type AnalyzeOptions, analyzeLog } from "./analyses/analyze/index.ts";
export { type CompareRunsOptions, compareRuns } from "./analyses/runs/compare-runs.ts";
export { type CorrectRunOptions, correctRun } from "./analyses/runs/correct-run.ts";
export { type DiagnoseRunOptions, diagnoseRun } from "./analyses/runs/diagnose-run.ts";
export { type DigitsRunOptions, digitsRun } from "./analyses/runs/digits-run.ts";
export { type DivergenceRunOptions, divergenceRun } from "./analyses/runs/divergence-run.ts";
export { type GateRunOptions, gateRun } from "./analyses/runs/gate-run.ts";
export { type ReportRunOptions, reportRun } from "./analyses/runs/report-run.ts";
export { type ShowRunOptions, showRun } from "./analyses/runs/show-run.ts";
export { type SweepRunOptions, sweepRun } from "./analyses/runs/sweep-run.ts";
export {
  type ColumnMapping,
  openDocument,
  openRun,
  type Progress,
  type ReadOptions,
  type Run,
  type SourceReport,
} from "./ingest/index.ts";
export { appendJsonl, type WriteRecordOptions, writeRecord } from "./ingest/writing/index.ts";
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
export { type KlRunOptions, klRun } from "./parts/index.ts";
export type { AnalyzeReport } from "./results/analyze.ts";
export type { CompareReport } from "./results/compare.ts";
export type { CorrectReport } from "./results/correct.ts";
export type { DigitsReport } from "./results/digits.ts";
export type { DivergenceReport } from "./results/divergence.ts";
export type { DoctorReport } from "./results/doctor.ts";
export type { GateReport } from "./results/gate.ts";
export type { LintReport } from "./results/lint.ts";
export type { MismatchReport } from "./results/report.ts";
export type { ShowReport } from "./results/show.ts";
export type { SweepReport } from "./results/sweep.ts";
export type { KlReport } from "./study/results/report.ts";
export type { AnalyzeProgress, FigureSpec, ScoreProgress } from "./study/scoring/index.ts";
export { type LintOptions, lintConfig } from "./trainers/configs/index.ts";
