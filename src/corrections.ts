/**
 * Importance weights, rejection masks and vetoes of rollout-trainer mismatch: a neutral form, its application to packed
 * columns, and every trainer's own settings, metrics and configs on top of it. Runs in Node and in browsers.
 *
 * @module
 */
export type { TokenBlock } from "./core/kernels/index.ts";
export {
  type AdvantageSign,
  type Aggregation,
  type AppliedCorrection,
  type ApplyOptions,
  applyCorrection,
  type BatchMetrics,
  type Bounds,
  type ConfigText,
  type Correction,
  type CorrectionBlock,
  completeSettings,
  describeCorrection,
  type Level,
  type Measure,
  type Metrics,
  mergeXtunerMetrics,
  type Normalize,
  type Parameter,
  PRESETS,
  type Preset,
  presetNamed,
  type Reject,
  type Setting,
  type Settings,
  type Statistic,
  type Step,
  type StepOutcome,
  type Trap,
  type Truncate,
  type Veto,
  type Weight,
} from "./trainers/index.ts";
