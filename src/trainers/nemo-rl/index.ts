/**
 * Everything known about NeMo-RL: its settings and what they do, its metrics, its traps and its config keys.
 * Reading its dumps belongs in `src/input/adapters`.
 *
 * @module
 */
export { nemoRlDialect } from "./config-keys.ts";
export { nemoRl } from "./preset.ts";
