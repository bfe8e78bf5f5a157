/**
 * Everything known about open-instruct: its settings and what they do, its metrics, its traps and its config keys.
 * Reading its dumps belongs in `src/input/adapters`.
 *
 * @module
 */
export { openInstructDialect } from "./config-keys.ts";
export { openInstruct } from "./preset.ts";
