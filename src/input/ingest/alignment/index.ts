/**
 * Checks that the two columns are about the same tokens, on the data and before any figure: shifts by a few tokens,
 * padding on different sides, one column written twice, masks that let sentinels in. A problem becomes a finding with
 * its figures; nothing is moved unless the user asks for it (`--align`).
 *
 * @module
 */
export {
  type AlignmentCheck,
  type AlignmentCheckOptions,
  countOnes,
  createAlignmentCheck,
} from "./check-alignment.ts";
export { describeChecks } from "./describe-checks.ts";
export { type Align, parseAlign } from "./parse-align.ts";
export { findContradiction, reportMasks } from "./report-masks.ts";
export { formatShift, reportShift } from "./report-shift.ts";
export {
  ENOUGH_TOKENS,
  type Offset,
  readScan,
  type ScannedShift,
  type Scope,
  type ShiftScan,
  ShiftScanner,
} from "./scan-shifts.ts";
export { shiftTrainer } from "./shift-trainer.ts";
export { emptyChecks, type SourceChecks } from "./source-checks.ts";
