export { type ConformanceCase, type ConformanceResult, runConformanceCase } from "../conformance/index.ts";
export { BASELINES, readBaselines } from "./baselines.ts";
export { buildReport, type ReportInput } from "./build-report.ts";
export { intervalsOf } from "./intervals.ts";
export { pooledMetrics } from "./metrics.ts";
export { RunSummary } from "./run-summary.ts";
