export { type GroupRow, GroupSums, type GroupSumsJson } from "./group-sums.ts";
export {
  MismatchSummary,
  type MismatchSummaryJson,
  type SummaryOptions,
  type TurnSums,
} from "./mismatch-summary.ts";
export type { OutcomeMeans, OutcomeSums, SequenceOutcome } from "./outcome-sums.ts";
export { PoissonBootstrap, type PoissonBootstrapJson } from "./poisson-bootstrap.ts";
export type { SequenceSums } from "./sequence-stats.ts";
export { TopList } from "./top-list.ts";
export { ValueSketch, type ValueSketchJson } from "./value-sketch.ts";
