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
export {
  type Aggregation,
  type Bounds,
  type Correction,
  LEVELS,
  type Level,
  type Measure,
  type Normalize,
  needsAdvantages,
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
