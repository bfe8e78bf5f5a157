/**
 * Logged metrics for terminals, Markdown and HTML: alone, or as sections of a report on dumps.
 * What they mean, and whether they are right, is determined in `src/analyses/series`.
 *
 * @module
 */

import { asSentence, plural } from "../../core/text/index.ts";
import type { VerdictLevel } from "../../results/report.ts";
import type { SeriesReport } from "../../results/series.ts";
import type { Document } from "../document/document.ts";
import { findingEntries } from "../document/findings.ts";
import { verdictWord } from "../document/verdict-word.ts";
import { besideSection, sayBeside } from "../health/beside.ts";
import { writePage } from "../html/document.ts";
import { type MarkdownOptions, writeMarkdown } from "../markdown/document.ts";
import { drawScreen, type ScreenOptions } from "../terminal/screen.ts";
import { printable } from "../text/printable.ts";
import { loggedSections } from "./sections.ts";

/** Mismatch metrics, their charts over the steps, and the number of other metrics. */
function buildSeriesDocument(report: SeriesReport): Document {
  const { files, series, others, level, headline, beside, findings } = report;
  const line = sayBeside(beside, headline);
  const [first] = files;
  const more = files.length === 1 ? "" : ` and ${plural(files.length - 1, "more file")}`;
  const { level: answered } = report.assessment;
  // Without a metric of the mismatch, only what is beside it can be judged.
  const isJudged = level !== null || answered === "fault";
  const shown: VerdictLevel = isJudged ? answered : "none";
  const word = isJudged ? verdictWord({ level: shown }) : "NOT JUDGED";
  const steps = new Set(series.flatMap((each) => each.steps)).size;
  return {
    kind: "report",
    heading: "Logged mismatch metrics of",
    name: `${first?.file ?? ""}${more}`,
    result: word,
    input: [
      [...new Set(files.map(({ form }) => form))].join(", "),
      plural(series.length, "mismatch metric"),
      plural(others.length, "other metric"),
      ...(series.length === 0 ? [] : [plural(steps, "step")]),
    ],
    verdict: { level: shown, word, text: asSentence(headline) },
    lead: line === undefined ? [] : [{ kind: "facts", rows: [["beside", line]] }],
    sections: [
      besideSection(beside),
      ...loggedSections(report),
      {
        id: "unknown-metrics",
        title: "Unknown metrics",
        blocks:
          series.length > 0 || report.unknown.length === 0
            ? []
            : [{ kind: "text", text: report.unknown.map(printable).join(", ") }],
      },
      {
        id: "findings",
        title: "Findings",
        blocks: [{ kind: "entries", entries: findingEntries(findings) }],
      },
    ],
    footer:
      "Each level is that of the metric's worst value: NaN is worse than any. Values are shown as logged.",
  };
}

export function renderSeriesTerminal(report: SeriesReport, options: ScreenOptions): string {
  return drawScreen(buildSeriesDocument(report), options);
}

export function renderSeriesMarkdown(report: SeriesReport, options: MarkdownOptions = {}): string {
  return writeMarkdown(buildSeriesDocument(report), options);
}

export function renderSeriesHtml(report: SeriesReport): string {
  return writePage(buildSeriesDocument(report));
}
