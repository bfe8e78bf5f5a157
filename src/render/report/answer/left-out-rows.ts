import { plural } from "../../../core/text/index.ts";
import type { MismatchReport } from "../../../results/report.ts";
import { countOtherWarnings, leftOutLines, loggedLine, promptLine } from "../input.ts";
import type { AnswerRow } from "./answer-row.ts";

/** If more things than this are left out, the others are counted, not spelled out. */
const MOST_LEFT_OUT = 2;

/** Data in no figure, contradictions with the trainer's log, and the number of warnings; empty if there are none. */
export function leftOutRows(report: MismatchReport, rest: string): AnswerRow[] {
  const told = leftOutLines(report);
  const more = told.length - MOST_LEFT_OUT;
  const warnings = countOtherWarnings(report);
  const parts = [
    ...told.slice(0, MOST_LEFT_OUT),
    ...(more > 0 ? [`${more} more, see ${rest}`] : []),
    ...(warnings > 0
      ? [`${plural(warnings, told.length === 0 ? "warning" : "other warning")}, see ${rest}`]
      : []),
  ];
  const [prompts, logged] = [promptLine(report), loggedLine(report)];
  return [
    ...(prompts === undefined ? [] : [{ label: "prompts", text: prompts, rank: 10 }]),
    ...(logged === undefined ? [] : [{ label: "logged", text: logged, rank: 10 }]),
    ...(parts.length === 0
      ? []
      : [{ label: told.length === 0 ? "note" : "left out", text: parts.join("; "), rank: 10 }]),
  ];
}
