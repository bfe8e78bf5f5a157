/**
 * What several trainers share: the shape of a preset and of a config dialect, reading settings, packing padded
 * batches. Code for a single trainer belongs in its folder.
 *
 * @module
 */
export { maskedMean } from "./masked-mean.ts";
export { type PaddedBatch, packPadded } from "./padded.ts";
export type { ParityTrainer } from "./parity-trainer.ts";
export type { BatchMetrics, Preset, Settings } from "./preset.ts";
export { sameEffect } from "./same-effect.ts";
export { isNeutral, type SamplingParameter } from "./sampling.ts";
export { completeSettings, parseSetting } from "./settings.ts";
