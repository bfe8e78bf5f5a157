/**
 * Loops over log-probs and logits: sums of a block of tokens in one pass, figures from them, exact divergences between
 * rows of logits. WebAssembly SIMD where there is any; runs in Node and in browsers.
 *
 * @module
 */
export type { FloatArray, Fraction, Nats, Ratio, TokenIndex } from "./core/base/index.ts";
export {
  type ComparedRows,
  compareRows,
  type DistributionOptions,
  describeRows,
} from "./core/kernels/distribution/index.ts";
export {
  type DistributionRows,
  type DivergenceRows,
  deltaAbsMean,
  effectiveSampleSize,
  FIELDS,
  findTurns,
  initKernels,
  k1,
  k2,
  k3,
  type LogitBlock,
  type MaskedTokens,
  type MismatchOptions,
  type MismatchTable,
  mergeSums,
  mismatchSums,
  pearson,
  type RowSums,
  type TokenBlock,
  type Turn,
} from "./core/kernels/index.ts";
