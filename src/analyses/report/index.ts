/**
 * The report on a run: slices, intervals, baselines, verdict, facts and the next command, as a `MismatchReport`.
 * Text and pictures belong in `src/render/report`.
 *
 * @module
 */
export { BASELINES, type FigureReading, findWorstLevel, readBaselines, readFigure } from "./baselines.ts";
export { buildReport, buildReportBeside, type ReportInput } from "./build-report.ts";
export { type ClusterKeys, clusterKeys } from "./cluster-keys.ts";
export { FEWEST_SEQUENCES, FEWEST_TOKENS, isEnough } from "./enough.ts";
export { computeIntervals } from "./intervals.ts";
export { inputWasSkipped } from "./left-out.ts";
export { computeMetrics, pooledMetrics } from "./metrics.ts";
export type { RunSummaryJson, RunSummaryOptions } from "./run-summary.ts";
export { RunSummary } from "./run-summary.ts";
export {
  type GatheredPlaces,
  gatherAllPlaces,
  type PlaceChances,
  type PlaceUnits,
  testPlaces,
} from "./standouts/index.ts";
export { PROBABILITY_EDGES } from "./token-groups.ts";
