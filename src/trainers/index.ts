/**
 * Importance weights, rejection masks and vetoes against rollout-trainer mismatch: a neutral form, its application to
 * packed columns, and every trainer's own settings, metrics and configs based on it. Runs in Node and browsers.
 *
 * @module
 */

export { type RecognisedMetric, recogniseMetric } from "./logged/recognise.ts";
export { type RunMetric, type RunMetricKind, recogniseRunMetric } from "./logged/run-metrics.ts";
export {
  type LoggedMetric,
  type RecognisedMetric,
  type RunMetric,
  recogniseMetric,
  recogniseRunMetric,
} from "./logged/index.ts";
export {
  type AdvantageSign,
  type Aggregation,
  type AppliedCorrection,
  type ApplyOptions,
  applyCorrection,
  type CorrectionBlock,
  type StepOutcome,
} from "./neutral/apply.ts";
export type {
  AdvantageSign,
  Aggregation,
  Bounds,
  Correction,
  Level,
  Measure,
  Normalize,
  Reject,
  Statistic,
  Step,
  Truncate,
  Veto,
  Weight,
} from "./neutral/correction.ts";
export { describeCorrection } from "./neutral/describe.ts";
export * from "./parity.ts";
export { PRESETS, presetNamed } from "./presets.ts";
export { TRAINERS } from "./registry.ts";
export type {
  BatchMetrics,
  ConfigText,
  Parameter,
  Preset,
  RunMetricKind,
  Setting,
  Settings,
  Trap,
} from "./shared/preset.ts";
export { completeSettings } from "./shared/settings.ts";
export { mergeXtunerMetrics } from "./xtuner/mismatch-metrics.ts";
