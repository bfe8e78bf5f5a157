/**
 * What every correction would do to recorded data: a grid of them in one read, the Pareto front, a recommendation.
 *
 * @module
 */

export { LENGTH_BUCKETS, lengthBucket, lengthQuartiles } from "./buckets.ts";
export { buildSweep, findCorrection, type SweepInput } from "./build-sweep.ts";
export { chooseCorrections, choosePresets, type GridOptions } from "./choose-corrections.ts";
export { writeConfigs } from "./configs.ts";
export { readCorrectionFlag } from "./correction-flag.ts";
export { unsweepable } from "./evaluate.ts";
export { correctionFigures, sweepMetrics } from "./figures.ts";
export { defaultGrid, METHODS, type Method, pickMethods } from "./grid.ts";
export { BASELINE, checkCorrections, type NamedCorrection, nameByText } from "./named-correction.ts";
export { paretoFront } from "./pareto.ts";
export { parsePresetCorrection } from "./preset-correction.ts";
export { recommend } from "./recommend.ts";
export { findRewardGroup, rewardGroups, roundedReward } from "./reward-groups.ts";
export { Sweep } from "./sweep.ts";
export { tokenBudget } from "./token-budget.ts";
