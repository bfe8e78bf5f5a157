/**
 * The log of high-divergence tokens: metrics of a batch, and, where the two policies are too far apart, the tokens
 * furthest apart with their texts. Runs in Node and in browsers; `logratio/node` writes the files.
 *
 * @module
 */
export {
  calculateDebugMetrics,
  calculateRecordDebugMetrics,
  createRunLog,
  type DebugBatch,
  type DebugMetrics,
  type DivergenceOptions,
  type DivergenceRecord,
  type FlipType,
  type IterationResult,
  type LogOptions,
  type RunLog,
  type RunLogOptions,
  type TokenAlternative,
  type TokenDecoder,
} from "./analyses/divergence/index.ts";
