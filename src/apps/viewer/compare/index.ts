/**
 * Compares a prepared run with others.
 *
 * @module
 */
export { compareRuns, type LabeledRun } from "./compare-runs.ts";
