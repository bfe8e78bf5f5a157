/**
 * What scores under teacher forcing say of a text: KL by token, spikes, kinds of tokens, bounds where only the most
 * probable tokens are known. Runs in Node and in browsers.
 *
 * @module
 */
export {
  type Bound,
  type BoundOptions,
  type Category,
  classifyToken,
  DEFAULT_CATEGORIES,
  type DivergenceBounds,
  detectSpikes,
  type KlOptions,
  klBounds,
  type PairScores,
  type PolicyScores,
  type ScoredText,
  type SpikeAnalysis,
  type SpikeOptions,
  type StudyText,
  type SummarizeOptions,
  summarizeText,
  type TextSummary,
  type TopKRow,
} from "./study/analysis/index.ts";
