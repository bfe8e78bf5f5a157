/**
 * Everything known about slime: its settings and what they do, its metrics, its traps and its config keys. Reading
 * its dumps belongs in `src/input/adapters`.
 *
 * @module
 */
export { milesDialect, slimeDialect } from "./config-keys.ts";
export { slimePreset } from "./core-preset.ts";
export { slimeMetrics } from "./correction-metrics.ts";
export { slimeMis } from "./mis-preset.ts";
export { slime } from "./preset.ts";
