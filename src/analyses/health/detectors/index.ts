/**
 * What makes a run teach little beside its mismatch, found in series over steps and in the checks of dumps. One file for
 * each detector; each returns a finding, or nothing where its limit holds or where it has too little to judge by.
 *
 * @module
 */
export { checkSeries, findBeside, orderBeside } from "./find-beside.ts";
export type { RunSeries, StepSeries } from "./series.ts";
