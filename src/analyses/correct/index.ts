export { type CorrectedColumns, CorrectRun } from "./correct-run.ts";
