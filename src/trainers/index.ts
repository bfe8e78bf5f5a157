/**
 * Importance weights, rejection masks and vetoes against rollout-trainer mismatch: a neutral form, its application to
 * packed columns, and every trainer's own settings, metrics and configs based on it. Runs in Node and browsers.
 *
 * @module
 */

export {
  type LoggedMetric,
  type RecognisedMetric,
  type RunMetric,
  type RunMetricKind,
  recogniseMetric,
  recogniseRunMetric,
} from "./logged/index.ts";
export {
  type AdvantageSign,
  type Aggregation,
  type AppliedCorrection,
  type ApplyOptions,
  applyCorrection,
  type Bounds,
  type Correction,
  type CorrectionBlock,
  correctionClauses,
  describeCorrection,
  type Level,
  type Measure,
  type Normalize,
  needsAdvantages,
  normalizerSums,
  type Reject,
  type Statistic,
  type Step,
  type StepOutcome,
  type Truncate,
  type Veto,
  validateCorrection,
  type Weight,
} from "./neutral/index.ts";
export * from "./parity.ts";
export { PRESETS, presetNamed } from "./presets.ts";
export type {
  BatchMetrics,
  ConfigText,
  Parameter,
  Preset,
  Setting,
  Settings,
  Trap,
} from "./shared/index.ts";
export { completeSettings, parseSetting } from "./shared/index.ts";
export { mergeXtunerMetrics } from "./xtuner/index.ts";
