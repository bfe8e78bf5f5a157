/**
 * Statistics that merge in any order: sums, sketches, sums by prompt and a sample of prompts.
 * Loops over tokens belong in `kernels`, judgments in `src/analyses`.
 *
 * @module
 */
export { BinnedSums, countPlaces, listPlaces } from "./binned-sums.ts";
export { CATASTROPHIC_DELTA, TAIL_THRESHOLDS, THRESHOLD_WORDS, TWOFOLD_DELTA } from "./cell-counts.ts";
export { KeyHash } from "./cluster-key.ts";
export { ClusterShares } from "./cluster-shares.ts";
export {
  CLUSTER,
  CLUSTER_WIDTH,
  ClusterSums,
  MOST_SLICE_CLUSTERS,
  type SequenceExtras,
} from "./cluster-sums.ts";
export { type AdvantageBlock, GRADIENT, GradientSums, impactAt, sumGradient } from "./gradient-sums.ts";
export { type GroupColumns, type GroupRow, groupRow, largestGroups } from "./group-columns.ts";
export { DENSE_GROUPS, GroupSlots } from "./group-slots.ts";
export { GroupSums, type MovedGroups } from "./group-sums.ts";
export { type Identity, type IdentityTest, readIdentity, sumSurprisal, testExcess } from "./identity.ts";
export {
  CANDIDATES,
  type Candidates,
  IDS_AFTER,
  IDS_BEFORE,
  type LargeTokenDetails,
  PROMPT_IDS,
  PROMPT_TEXT,
} from "./large-token-details.ts";
export {
  type DetailedToken,
  deltaOf,
  impactOf,
  LARGE_DELTA,
  type LargeToken,
  LargeTokens,
  tokenHandle,
} from "./large-tokens.ts";
export { JoinedTable } from "./layout/joined-table.ts";
export { KERNEL_REVISION, KERNEL_SUMS } from "./layout/kernel-sums.ts";
export {
  COUNT_ARRAY,
  contents,
  counts,
  eachOf,
  exactSums,
  type Layout,
  layoutOf,
  maxima,
  optionalPart,
  part,
} from "./layout/layout.ts";
export { SumTable, tableBelow, tableByKey } from "./layout/sum-table.ts";
export { ownWay, Sums } from "./layout/sums.ts";
export { addCount, byIndex, byKey, type Keyed, SumsByKey, tally } from "./layout/sums-by-key.ts";
export {
  checkSummaryVersion,
  MismatchSummary,
  type MismatchSummaryJson,
  type SummaryOptions,
  type TurnSums,
} from "./mismatch-summary.ts";
export { NonFiniteSums } from "./non-finite-sums.ts";
export type { OutcomeMeans, OutcomeSums, SequenceOutcome } from "./outcome-sums.ts";
export { addOutcome, emptyOutcomeSums, OUTCOME_UNITS, outcomeMeans } from "./outcome-sums.ts";
export { RatioTails, type TailIndices } from "./ratio-tails.ts";
export type { SampledCluster, SampledSequence } from "./sampled-clusters.ts";
export { SAMPLE_DECILES, SequenceSample } from "./sequence-sample.ts";
export { TopList, topOf } from "./top-list.ts";
export { Units, unitKind } from "./units.ts";
export { ValueSketch } from "./value-sketch.ts";
