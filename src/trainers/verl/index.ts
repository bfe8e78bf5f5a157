/**
 * Everything known about verl: its settings and what they do, its metrics, its traps and its config keys. Reading
 * its dumps belongs in `src/input/adapters`.
 *
 * @module
 */
export { verl } from "./preset.ts";
