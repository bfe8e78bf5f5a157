/**
 * Everything known about OpenRLHF: its settings and what they do, its metrics, its traps and its config keys.
 * Reading its dumps belongs in `src/input/adapters`.
 *
 * @module
 */
export { openrlhfDialect } from "./config-keys.ts";
export { openrlhf } from "./preset.ts";
