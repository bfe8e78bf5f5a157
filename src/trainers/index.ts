/**
 * Importance weights, rejection masks and vetoes of rollout-trainer mismatch: a neutral form, its application to packed
 * columns, and every trainer's own settings, metrics and configs on top of it. Runs in Node and in browsers.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { applyCorrection, completeSettings, presetNamed } from "logratio/corrections";
 *
 * const verl = presetNamed("verl");
 * const settings = completeSettings(verl, { rollout_is: "token", rollout_is_threshold: 2 });
 * const block = {
 *   rollout: Float32Array.of(-2, -1, -1),
 *   trainer: Float32Array.of(-1, -1, -1),
 *   mask: Uint8Array.of(1, 1, 0),
 *   offsets: Int32Array.of(0, 3),
 * };
 * const applied = applyCorrection(block, verl.correction(settings));
 * assert.deepEqual([...applied.weights!], [2, 1, 0]); // e truncated at 2; 0 where the mask is 0
 *
 * const metrics = verl.metrics(settings);
 * metrics.add(block, applied);
 * assert.equal(metrics.finish()["rollout_corr/rollout_is_max"], 2);
 * ```
 *
 * @module
 */
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
} from "./shared/index.ts";
export { completeSettings, parseSetting } from "./shared/index.ts";
export { mergedXtunerMetrics, type XtunerMerged, type XtunerPack } from "./xtuner/index.ts";
