/**
 * One pass over rollout log-probs, trainer log-probs and mask: the sums behind every token-level mismatch figure, by
 * row and by turn. Runs unchanged in Node and in browsers.
 *
 * @module
 */
export {
  absProbDiffMean,
  absProbDiffStd,
  chi2Token,
  chi2TokenClamped,
  deltaAbsMean,
  deltaMean,
  deltaStd,
  effectiveSampleSize,
  effectiveSampleSizeDeficit,
  k1,
  k2,
  k3,
  pearson,
  pearsonDeficit,
  probDiffMean,
  ratioMean,
  ratioStd,
} from "./derive.ts";
export { type ComparedRows, compareRows, type DistributionOptions, describeRows } from "./distribution.ts";
export { initKernels } from "./init.ts";
/** Field indices of a sums vector, and FIELDS, their number. */
export * as sumsLayout from "./layout.ts";
export type { DistributionRows, DivergenceRows, LogitBlock } from "./logit-block.ts";
export { clearSums, emptySums, mergeSums } from "./merge.ts";
export {
  type MaskedTokens,
  type MismatchOptions,
  type MismatchTable,
  mismatchSums,
  type TokenBlock,
} from "./mismatch.ts";
export { k3Of, probDiffOf } from "./scalar.ts";
