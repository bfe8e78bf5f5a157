/**
 * Everything known about prime-rl: its settings and what they do, its metrics, its traps and its config keys.
 * Reading its dumps belongs in `src/input/adapters`.
 *
 * @module
 */
export { primeRlDialect } from "./config-keys.ts";
export { primeRl, primeRlIpo } from "./preset.ts";
