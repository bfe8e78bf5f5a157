/**
 * The log of high-divergence tokens: metrics of a batch and, if the two policies are too far apart, the most divergent
 * tokens with their texts. Runs unchanged in Node and in browsers; files are written elsewhere.
 *
 * @module
 */
export type { DivergenceRecord, FlipType, TokenAlternative } from "../../results/divergence.ts";
export { calculateDebugMetrics, calculateRecordDebugMetrics, type DebugMetrics } from "./debug-metrics.ts";
export type { TokenDecoder } from "./decoder.ts";
export { divergenceLine } from "./line.ts";
export type { DivergenceOptions, LogOptions } from "./options.ts";
export { checkOptions } from "./options.ts";
export type { DebugBatch } from "./padded-facts.ts";
export {
  createFinisher,
  createRunLog,
  type IterationResult,
  type RunLog,
  type RunLogOptions,
} from "./run-log.ts";
export {
  createSegmentSplitter,
  SEGMENT_TEXT,
  Segment,
  type SegmentOptions,
  segmentWith,
} from "./segments.ts";
