/**
 * The health of a run beside its mismatch, from the table of sequences: groups without spread in reward, truncated
 * responses, staleness, reward that follows length. Each check has a limit, and what it needs to judge at all.
 *
 * @module
 */

export { type DumpFigures, findDumpBeside } from "./beside-dump.ts";
export { checkHealth } from "./check-health.ts";
export { checkSeries, findBeside, orderBeside, type RunSeries, type StepSeries } from "./detectors/index.ts";
