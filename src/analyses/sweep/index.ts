/**
 * What every correction would do to recorded data: a grid of settings in one read, the Pareto front, a recommendation.
 *
 * @module
 */

export { LENGTH_BUCKETS, lengthBucket, lengthQuartiles } from "./buckets.ts";
export { buildSweep, findSetting, type SweepInput } from "./build-sweep.ts";
export { configsOf } from "./configs.ts";
export { unsweepable } from "./evaluate.ts";
export { settingFigures, sweepMetrics } from "./figures.ts";
export { defaultGrid, METHODS, type Method, ofMethods } from "./grid.ts";
export { paretoFront } from "./pareto.ts";
export { presetSetting } from "./preset-setting.ts";
export { LIMITS, recommend, SMALL_ESS, SMALL_OUTSIDE, TOLERANCE } from "./recommend.ts";
export { rewardGroupOf, rewardGroups, roundedReward } from "./reward-groups.ts";
export { BASELINE, checkedSettings, type Setting } from "./setting.ts";
export { Sweep } from "./sweep.ts";
export { tokenBudget } from "./token-budget.ts";
export { PRODUCT_LOG_BOUND } from "./totals.ts";
