/**
 * Everything known about ROLL: its settings and what they do, its metrics, its traps and its config keys. Reading
 * its dumps belongs in `src/input/adapters`.
 *
 * @module
 */
export { rollDialect } from "./config-keys.ts";
export { roll } from "./preset.ts";
