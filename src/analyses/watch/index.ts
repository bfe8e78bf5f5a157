/**
 * Evidence that something changed in a run that is still going, valid however often one looks. Sentences and thresholds of
 * alerts build on it; where it is shown belongs in `src/apps`.
 *
 * @module
 */
export { type ChangeEvidence, ChangeProcess, type ChangeProcessJson } from "./change-process.ts";
export {
  FALSE_ALARM_RATE,
  RunWatch,
  StepWatch,
  type StepWatchJson,
  type WatchedStep,
} from "./step-watch.ts";
