/**
 * The neutral form of a correction: its steps and rules, their effect on weights and mask, and their description in
 * words. This folder names no trainer; trainers map their settings to this form.
 *
 * @module
 */
export {
  type AppliedCorrection,
  applyCorrection,
  type CorrectionBlock,
  normalizerSums,
  type StepOutcome,
} from "./apply.ts";
export { binaryKlBound, type ProbGuards } from "./binary-kl.ts";
export {
  type Aggregation,
  type Bounds,
  type Correction,
  type Figure,
  isBinaryKl,
  LEVELS,
  type Level,
  type Measure,
  type Normalize,
  needsAdvantages,
  needsProbs,
  type Reject,
  STATISTICS,
  type Statistic,
  type Step,
  type Truncate,
  type Veto,
  type Weight,
} from "./correction.ts";
export { correctionClauses, describeCorrection } from "./describe.ts";
export {
  EVERYTHING,
  type Interval,
  insideInterval,
  logInterval,
  NOTHING,
  symmetricInterval,
} from "./inside.ts";
export { tokenStatistic } from "./measures.ts";
export {
  clamp,
  diverges,
  hasSign,
  isBeyond,
  isInside,
  type Limits,
  needsWeights,
  readLimits,
} from "./rules.ts";
export { formatCorrection, formatMeasure, parseCorrection } from "./text.ts";
export { validateCorrection } from "./validate.ts";
