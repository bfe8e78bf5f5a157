/**
 * What several trainers share: the shape of a preset and of a config dialect, reading settings, packing padded
 * batches. Code for a single trainer belongs in its folder.
 *
 * @module
 */
export {
  type ConfigDocument,
  type ConfigFormat,
  type Entry,
  endsWith,
  normalizedPath,
  numberList,
  plainNumber,
  plainValue,
} from "./config-entry.ts";
export {
  type ConfigView,
  type Dialect,
  isFalse,
  isTrue,
  type LintContext,
  type LintRule,
  type NamedDialect,
  needsSwitch,
  oldNames,
} from "./dialect.ts";
export { pythonLiteral, yamlLines, yamlLiteral } from "./literals.ts";
export {
  ABS,
  ABS_MAX,
  ALL_ROWS,
  CLAMPED,
  ESS,
  K1,
  K3,
  type LoggedKeys,
  type MismatchKey,
  PACKS,
  perplexityMetrics,
  RANKS,
  RATIO,
  type RunKeys,
  type RunMetricKind,
  SEQUENCES,
  SHARE,
  TRUNCATED,
} from "./logged-keys.ts";
export {
  computeMaskedMean,
  type Figures,
  maskedEffectiveSize,
  maskedStd,
  prefixed,
  rowStd,
} from "./masked-figures.ts";
export { MASKED_MEAN_EPSILON, maskedMean } from "./masked-mean.ts";
export { Moments } from "./moments.ts";
export {
  findMeasure,
  looksAtRawWeights,
  measuresWeight,
  tightenLogBound,
  withinReach,
  withinSafety,
} from "./neutral-steps.ts";
export { countMasked, countNonFinite, poison } from "./non-finite.ts";
export { type PaddedBatch, packPadded } from "./padded.ts";
export type { ParityTrainer } from "./parity-trainer.ts";
export type { BatchMetrics, Preset, Settings } from "./preset.ts";
export { sameEffect } from "./same-effect.ts";
export { completeSettings, parseSetting } from "./settings.ts";
export type { TextDump, Trainer } from "./trainer.ts";
