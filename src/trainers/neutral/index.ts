/**
 * The neutral form of a correction: its steps and rules, their effect on weights and mask, and their description in words.
 * No trainer is named here; trainers map their settings to this form.
 *
 * @module
 */
export {
  type AppliedCorrection,
  type ApplyOptions,
  applyCorrection,
  type CorrectionBlock,
  normalizerSums,
  type StepOutcome,
} from "./apply.ts";
export {
  type AdvantageSign,
  type Aggregation,
  type Bounds,
  type Correction,
  type Level,
  type Measure,
  type Normalize,
  needsAdvantages,
  type Reject,
  type Statistic,
  type Step,
  type Truncate,
  type Veto,
  type Weight,
} from "./correction.ts";
export { correctionClauses, describeCorrection } from "./describe.ts";
export { type Segments, segmentsOf, tokenStatistic } from "./measures.ts";
export { validateCorrection } from "./validate.ts";
