import type { MismatchReport } from "../../results/report.ts";
import { drawSections } from "../terminal/document.ts";
import { countRows, drawRest, type ScreenOptions, screenRows } from "../terminal/screen.ts";
import { makeSurface } from "../terminal/surface.ts";
import { drawAnswerScreen } from "./answer/first-screen.ts";
import { detailSections } from "./document.ts";

/** A terminal shows this many rows of steps and files; the HTML report and `--json` show more. */
const LIMITS = { steps: 20, sources: 20 };

/**
 * The report as lines for a terminal, ending with a newline: a first screen for 80 × 24, then the tables. No line takes
 * more than `width` columns, except for the command to run next, which stays whole; without `color` there are no escape
 * sequences, without `unicode` there is nothing but ASCII.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { reportRun } from "logratio/node";
 * import { renderTerminal } from "logratio/render";
 *
 * const report = await reportRun("examples/demo/stale", { steps: "10" });
 * const text = renderTerminal(report, { width: 80, color: false, unicode: true, sections: "summary" });
 * assert(text.includes("mean |Δ|"));
 * ```
 *
 * @param report of `reportRun`, `buildReport`, or `logratio report --json`
 * @returns the lines, each with its end
 */
export function renderTerminal(report: MismatchReport, options: ScreenOptions): string {
  const surface = makeSurface(options);
  const more = options.more === undefined ? [] : drawRest(options.more, options);
  const isAlone = options.sections === "summary";
  const lines = drawAnswerScreen(report, surface, {
    rows: screenRows(options) - countRows(more, surface.width),
    ...(!isAlone && { rest: "Findings" }),
  });
  if (!isAlone) {
    lines.push(...drawSections(detailSections(report, LIMITS), surface));
  }
  lines.push(...more);
  return lines.map((line) => `${line}\n`).join("");
}
