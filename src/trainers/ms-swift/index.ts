/**
 * Everything known about ms-swift: its settings and what they do, its metrics, its traps and its config keys.
 * Reading its dumps belongs in `src/input/adapters`.
 *
 * @module
 */
export { msSwiftDialect } from "./config-keys.ts";
export { msSwift } from "./preset.ts";
