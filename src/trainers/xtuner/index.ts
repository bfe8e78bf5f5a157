/**
 * Everything known about xtuner: its settings and what they do, its metrics, its traps and its config keys. Reading
 * its dumps belongs in `src/input/adapters`.
 *
 * @module
 */
export { xtunerPackMetrics } from "./correction-metrics.ts";
export { xtuner } from "./preset.ts";
export { readXtunerSettings } from "./settings.ts";
