/**
 * Everything known about TRL: its settings and what they do, its metrics, its traps and its config keys. Reading
 * its dumps belongs in `src/input/adapters`.
 *
 * @module
 */
export { trlDialect } from "./config-keys.ts";
export { trl } from "./preset.ts";
