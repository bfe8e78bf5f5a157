/**
 * Applies a correction to recorded batches and measures what it keeps, clips and drops.
 * The correction itself belongs in `src/trainers/neutral`.
 *
 * @module
 */
export { type CorrectedColumns, CorrectRun, type TrainerSettings } from "./correct-run.ts";
