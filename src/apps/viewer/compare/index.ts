/**
 * A prepared run with others beside it.
 *
 * @module
 */
export { compareRuns, type LabeledRun } from "./compare-runs.ts";
