/**
 * The report on a run: slices, intervals, facts and the next command, as a `MismatchReport`.
 * Text and pictures belong in `src/render/report`.
 *
 * @module
 */
export { buildReport, buildReportBeside, type ReportInput } from "./build-report.ts";
export type { ClusterKeys } from "./cluster-keys.ts";
export { computeMetrics, pooledMetrics } from "./metrics.ts";
export type { RunSummaryJson, RunSummaryOptions } from "./run-summary.ts";
export { RunSummary } from "./run-summary.ts";
export { PROBABILITY_EDGES } from "./token-groups.ts";
