/**
 * Everything known about SkyRL: its settings and what they do, its metrics, its traps and its config keys. Reading
 * its dumps belongs in `src/input/adapters`.
 *
 * @module
 */
export { skyrlDialect } from "./config-keys.ts";
export { skyrl } from "./preset.ts";
