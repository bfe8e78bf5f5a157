/**
 * Two prepared runs beside each other.
 *
 * @module
 */
export { compareRuns } from "./compare-runs.ts";
