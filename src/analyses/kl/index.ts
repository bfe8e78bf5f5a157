/**
 * What scores under teacher forcing say. Runs unchanged in Node and in browsers.
 *
 * @module
 */

export { addHeads, type HeadSums } from "./attention/head-sums.ts";
export {
  type Bound,
  type BoundOptions,
  type DivergenceBounds,
  klBounds,
  type TopKRow,
} from "./bounds/bounds.ts";
export {
  type Category,
  classifyToken,
  DEFAULT_CATEGORIES,
  tokenClassifier,
} from "./categories/categories.ts";
export { type CategoryConfig, extendCategories } from "./categories/extend-categories.ts";
export type { ErrorSpan } from "./error-span.ts";
export { type FirstError, findFirstError } from "./first-error/first-error.ts";
export { isBehindError } from "./gradients/text-gradients.ts";
export { listCandidates } from "./pool/candidates.ts";
export { describeDiffering, poolStudies } from "./pool/pool-studies.ts";
export {
  dropUnread,
  type ExcludedMass,
  type StudyCheckpoint,
  type StudySums,
  type SummarizedPair,
} from "./pool/study-sums.ts";
export { answers } from "./report/answers.ts";
export { buildKlReport } from "./report/build-kl-report.ts";
export { chooseCases } from "./report/cases.ts";
export { listOtherResults } from "./report/first-error-tests.ts";
export { findLast as findLastCheckpoint, type KlReportInput } from "./report/report-input.ts";
export { findTextSpikes } from "./spikes/find-text-spikes.ts";
export { detectSpikes, type SpikeAnalysis } from "./spikes/spikes.ts";
export type { PairScores, PolicyScores, ScoredText, StudyText } from "./study.ts";
export { type SummarizeOptions, summarizeText } from "./summarize-text.ts";
export type {
  KlOptions,
  SpikeOptions,
  TextContinuation,
  TextSummary,
  TextUnderCheckpoints,
} from "./summary.ts";
