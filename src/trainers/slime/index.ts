export { milesDialect, slimeDialect } from "./config-keys.ts";
export { slimePreset } from "./core-preset.ts";
export { slimeMetrics } from "./correction-metrics.ts";
export { slimeMis } from "./mis-preset.ts";
export { slime } from "./preset.ts";
