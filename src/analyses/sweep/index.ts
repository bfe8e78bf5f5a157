/**
 * What every correction would do to recorded data: a grid of corrections in one read, the Pareto front, a
 * recommendation.
 *
 * @module
 */

export { LENGTH_BUCKETS, lengthBucket, lengthQuartiles } from "./buckets.ts";
export { buildSweep, findCorrection } from "./build-sweep.ts";
export { chooseCorrections, choosePresets, type GridOptions } from "./choose-corrections.ts";
export { writeConfigs } from "./configs.ts";
export { readCorrectionFlag } from "./correction-flag.ts";
export { correctionFigures, sweepMetrics } from "./figures.ts";
export { defaultGrid } from "./grid.ts";
export type { NamedCorrection } from "./named-correction.ts";
export { findRewardGroup, rewardGroups, roundedReward } from "./reward-groups.ts";
export { Sweep } from "./sweep.ts";
