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
/** Field indices of a sums vector, and FIELDS, their number. */
export * as sumsLayout from "./layout.ts";
export { clearSums, emptySums, mergeSums } from "./merge.ts";
export {
  initKernels,
  type MaskedTokens,
  type MismatchOptions,
  type MismatchTable,
  mismatchSums,
  type TokenBlock,
} from "./mismatch.ts";
export { k3Of, probDiffOf } from "./scalar.ts";
