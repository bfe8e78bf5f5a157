/**
 * The analysis of scores under teacher forcing. Runs unchanged in Node and in browsers.
 *
 * @module
 */

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
export { categoryStatistics } from "./categories/category-statistics.ts";
export { extendCategories } from "./categories/extend-categories.ts";
export { listCandidates } from "./pool/candidates.ts";
export { type PlacedStudy, poolStudies } from "./pool/pool-studies.ts";
export type { StudySums } from "./pool/study-sums.ts";
export { STUDY_SUMS } from "./pool/sums-codec.ts";
export { answers } from "./report/answers.ts";
export { buildKlReport } from "./report/build-kl-report.ts";
export { findLast, type KlReportInput } from "./report/report-input.ts";
export { type TurningPointMethod, turningPoints } from "./series/turning-points.ts";
export { detectSpikes, type SpikeAnalysis } from "./spikes/spikes.ts";
export type { PairScores, PolicyScores, ScoredText, StudyText } from "./study.ts";
export { type SummarizeOptions, summarizeText } from "./summarize-text.ts";
export type { KlOptions, SpikeOptions, TextSummary, TextUnderCheckpoints } from "./summary.ts";
