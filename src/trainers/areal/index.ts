/**
 * Everything known about AReaL: its settings and what they do, its metrics, its traps and its config keys. Reading
 * its dumps belongs in `src/input/adapters`.
 *
 * @module
 */
export { arealDialect } from "./config-keys.ts";
export { areal } from "./preset.ts";
