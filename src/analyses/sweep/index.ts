/**
 * What every correction would do to recorded data: a grid of settings in one read, the Pareto front, a recommendation.
 *
 * @module
 */
export { buildSweep, findSetting, type SweepInput } from "./build-sweep.ts";
export { configsOf } from "./configs.ts";
export { defaultGrid, METHODS, type Method, ofMethods } from "./grid.ts";
export { paretoFront } from "./pareto.ts";
export { presetSetting } from "./preset-setting.ts";
export { LIMITS, recommend, SMALL_ESS, SMALL_OUTSIDE, TOLERANCE } from "./recommend.ts";
export { BASELINE, checkedSettings, type Setting } from "./setting.ts";
export { Sweep } from "./sweep.ts";
export { tokenBudget } from "./token-budget.ts";
