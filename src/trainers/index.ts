/**
 * Importance weights, rejection masks and vetoes against rollout-trainer mismatch: a neutral form, its application to
 * packed columns, and every trainer's own settings, metrics and configs based on it. Runs in Node and browsers.
 *
 * @module
 */

export { type RecognisedMetric, recogniseLookAlike, recogniseMetric } from "./logged/recognise.ts";
export { type RunMetric, recogniseRunMetric } from "./logged/run-metrics.ts";
export {
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
export { NEWEST_PRESETS, PRESETS, presetNamed } from "./presets.ts";
export type { RunMetricKind } from "./shared/logged-keys.ts";
export type {
  BatchMetrics,
  ConfigText,
  Parameter,
  Preset,
  Setting,
  Settings,
  Trap,
} from "./shared/preset.ts";
export { completeSettings } from "./shared/settings.ts";
export { xtunerPackMetrics } from "./xtuner/correction-metrics.ts";
export { mergeXtunerMetrics } from "./xtuner/mismatch-metrics.ts";
export { readXtunerSettings } from "./xtuner/settings.ts";
