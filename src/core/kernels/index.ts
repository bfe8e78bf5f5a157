/**
 * One pass over rollout log-probs, trainer log-probs and mask: the sums behind every token-level mismatch figure, by
 * row and by turn. Runs unchanged in Node and in browsers.
 *
 * @module
 */
export {
  absProbDiffStd,
  chi2Token,
  chi2TokenClamped,
  deltaAbsMean,
  deltaMean,
  deltaStd,
  effectiveSampleSize,
  k1,
  k2,
  k3,
  pearson,
  ratioMean,
  ratioStd,
} from "./derive.ts";
export { computeImpact, quickExp, quickK3 } from "./impact.ts";
export { initKernels } from "./init.ts";
/** Field indices of a sums vector, and FIELDS, their number. */
export * as sumsLayout from "./layout.ts";
export {
  ABS_DELTA_SUM,
  ABS_PROB_DIFF_MAX,
  ABS_PROB_DIFF_MEAN,
  COUNT,
  DELTA_MAX,
  DELTA_MEAN,
  DELTA_MIN,
  EXCESS_MEAN,
  FIELDS,
  K3_SUM,
  NEGATIVE_COUNT,
  NEGATIVE_INFINITE_COUNT,
  NEGATIVE_SUM,
  OVER_COUNT,
  POSITIVE_COUNT,
  POSITIVE_INFINITE_COUNT,
  POSITIVE_SUM,
  PROB_COUNT,
  ROLLOUT_SUM,
  TRAINER_SUM,
  UNDEFINED_COUNT,
} from "./layout.ts";
export type { DistributionRows, DivergenceRows, LogitBlock } from "./logit-block.ts";
export { emptySums, mergeSums } from "./merge.ts";
export {
  type MaskedTokens,
  type MismatchOptions,
  type MismatchTable,
  mismatchSums,
  type RowSums,
  type TokenBlock,
} from "./mismatch.ts";
export { overExcessSum } from "./ratio-units.ts";
export { computeDelta, computeK3, computeProbDiff, TOKEN_VALUES } from "./scalar.ts";
export { type OrdinaryLogprobs, scanLogprobs } from "./scan-logprobs.ts";
export { checkedRows } from "./token-block.ts";
export { findTurns, type Turn, turnMarks, turnOfMark } from "./turns.ts";
export { type Crc32Kernel, crc32Kernel } from "./wasm/crc32-kernel.ts";
export { type DecimalsKernel, decimalsKernel, type NarrowArray } from "./wasm/decimals-kernel.ts";
export { type IntegersKernel, integersKernel } from "./wasm/integers-kernel.ts";
export { type ShiftsKernel, shiftsKernel } from "./wasm/shifts-kernel.ts";
export {
  type CountedCells,
  type CountedGroups,
  type TokensKernel,
  tokensKernel,
} from "./wasm/tokens-kernel.ts";
