export { KeyHash } from "./cluster-key.ts";
export { CLUSTER, CLUSTER_WIDTH, ClusterSums, type ClusterSumsJson } from "./cluster-sums.ts";
export { type GroupRow, GroupSums, type GroupSumsJson } from "./group-sums.ts";
export {
  MismatchSummary,
  type MismatchSummaryJson,
  type SummaryOptions,
  type TurnSums,
} from "./mismatch-summary.ts";
export type { OutcomeMeans, OutcomeSums, SequenceOutcome } from "./outcome-sums.ts";
export type { SequenceSums } from "./sequence-stats.ts";
export { TopList } from "./top-list.ts";
export { ValueSketch, type ValueSketchJson } from "./value-sketch.ts";
