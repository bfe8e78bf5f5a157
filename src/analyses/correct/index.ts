/**
 * Applies a trainer's correction to recorded batches and measures what it keeps, clips and drops.
 * The correction itself belongs in `src/trainers/neutral`.
 *
 * @module
 */
export { type CorrectedColumns, CorrectRun } from "./correct-run.ts";
