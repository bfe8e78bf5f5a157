export { BASELINES, readBaselines } from "./baselines.ts";
export { buildReport, type ReportInput } from "./build-report.ts";
export { type ConformanceCase, type ConformanceResult, runConformanceCase } from "./conformance/index.ts";
export { intervalsOf, pooledMetrics } from "./metrics.ts";
export { RunSummary } from "./run-summary.ts";
