/**
 * Compares a prepared run with others.
 *
 * @module
 */
export { addComparedRun, compareRuns, type LabeledRun } from "./compare-runs.ts";
