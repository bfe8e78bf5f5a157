import { asSentence, plural } from "../../core/text/index.ts";
import type { MismatchReport } from "../../results/report.ts";
import type { SweepReport } from "../../results/sweep.ts";
import { reportStepCharts } from "../charts/step-charts.ts";
import {
  type Block,
  type Document,
  type Picture,
  type Section,
  tableSections,
} from "../document/document.ts";
import { findingEntries } from "../document/findings.ts";
import { withRows } from "../document/rows.ts";
import { makeTable, type Table, textColumn } from "../document/table.ts";
import { verdictWord } from "../document/verdict-word.ts";
import { besideSection } from "../health/beside.ts";
import { writePage } from "../html/document.ts";
import { type MarkdownOptions, writeMarkdown } from "../markdown/document.ts";
import { loggedSections } from "../series/sections.ts";
import { ownConfig } from "../sweep/first-screen.ts";
import { answerBlocks } from "./answer/blocks.ts";
import { standoutTexts } from "./gradient-tables.ts";
import { stepTable, turnTable } from "./group-tables.ts";
import { type Picture as Drawing, sectionPictures, spreadPictures } from "./html-pictures.ts";
import { failedTests, identityLines } from "./identity-tables.ts";
import {
  columnLines,
  countOtherWarnings,
  inputParts,
  leftOutLines,
  otherFiles,
  promptLine,
} from "./input.ts";
import { type KeyFigure, keyFigures, noInterval } from "./key-figures.ts";
import { inPart, onPage, type ReportPlaces } from "./parts.ts";
import { firstLooks } from "./place-tables.ts";
import { repeatCommand } from "./repeat-command.ts";
import { SECTION_TITLES } from "./section-titles.ts";
import { type DetailLimits, detailTables } from "./sections.ts";

/** Options of an HTML page in addition to the report itself. */
export interface HtmlReportOptions {
  /** The sweep of the same run; its config replaces the command that finds one. */
  readonly sweep?: SweepReport;
}

export interface ReportLimits extends DetailLimits, HtmlReportOptions {
  /** A short form for an issue: only the tables of steps and turns, and only findings about problems. */
  readonly isShort?: boolean;
}

/** Keeps a page of a thousand steps under 400 kB; `--json` has everything. */
const PAGE: ReportLimits = { steps: 1000, sources: 100 };
const MARKDOWN: ReportLimits = { steps: 12, sources: 0, isShort: true };
const MOST_FACTS = 3;

/**
 * Verdict, key figures, facts, what is left out, what to run next; then every table, the findings, what was read.
 *
 * @param places places that only the viewer knows, shown on its page
 */
export function buildReportDocument(
  report: MismatchReport,
  limits: ReportLimits = PAGE,
  places?: ReportPlaces,
): Document {
  const { verdict, next, findings } = report;
  const prompts = promptLine(report);
  // Alarms are for someone who is following the run.
  const identity = places === undefined ? identityLines(report) : failedTests(report);
  return {
    kind: "report",
    heading: "Rollout/trainer mismatch of",
    name: report.run,
    result: verdictWord(verdict),
    input: inputParts(report),
    verdict: { level: verdict.level, word: verdictWord(verdict), text: asSentence(verdict.headline) },
    lead: answerBlocks(report),
    aside: [
      ...(identity.length === 0
        ? []
        : [{ kind: "list", title: SECTION_TITLES.failedTests, items: identity } as const]),
      {
        kind: "list",
        title: SECTION_TITLES.standouts,
        items: standoutTexts(report, MOST_FACTS),
      },
      ...(prompts === undefined ? [] : [{ kind: "list", title: "Prompts", items: [prompts] } as const]),
      { kind: "list", title: SECTION_TITLES.leftOut, items: leftOutItems(report) },
      { kind: "command", id: "next", label: SECTION_TITLES.next, command: next.command, why: next.why },
      ...meanwhile(report, limits),
    ],
    sections: limits.isShort
      ? [
          ...(report.logged === undefined ? [] : loggedSections(report.logged)),
          ...tableSections([
            ...(report.per_step.length > 1 ? [stepTable(report, limits.steps)] : []),
            ...(report.per_turn.length > 1 ? [turnTable(report)] : []),
          ]),
          findingSection(findings.filter(({ severity }) => severity !== "info")),
        ]
      : [
          ...(places === undefined ? [] : [firstSection(report, places)]),
          ...tableSections([keyFigureTable(report, limits)]),
          ...detailSections(report, limits, places),
        ],
    footer:
      "Δ = log p trainer − log p rollout of the sampled token, in nats; all figures are before any truncation.",
  };
}

/** A correction to train with until the cause is found: its config, or the command that finds it. */
function meanwhile({ correct }: MismatchReport, { sweep }: HtmlReportOptions): Block[] {
  const title = SECTION_TITLES.correct;
  if (correct === null) return [];
  if (sweep === undefined) return [{ kind: "command", id: "correct", label: title, ...correct }];
  const { name, reasons } = sweep.recommendation;
  return [{ kind: "list", title: `${title}: ${name}`, items: reasons.slice(0, 1) }, ...ownConfig(sweep)];
}

function firstSection(report: MismatchReport, { top }: ReportPlaces): Section {
  const title = "Where to look first";
  return { id: "first", title, blocks: [{ kind: "places", title, places: firstLooks(report, top) }] };
}

/** Everything after the first screen. */
export function detailSections(
  report: MismatchReport,
  limits: DetailLimits,
  places?: ReportPlaces,
): Section[] {
  const { tables, sources, absent } = detailTables(report, limits, places?.top);
  const columns: Block = { kind: "facts", rows: columnLines(report).map(({ label, text }) => [label, text]) };
  const none = `no table for: ${absent.join(", ")}`;
  const sections = [
    besideSection(report.assessment.beside),
    ...(report.logged === undefined ? [] : loggedSections(report.logged)),
    { id: "over-steps", title: SECTION_TITLES.overSteps, blocks: stepBlocks(report) },
    { id: "spread", title: SECTION_TITLES.spread, blocks: pictures(spreadPictures(report)) },
    ...tables.flatMap((table) => tableSection(table, report, places)),
    findingSection(report.findings, "none"),
    ...sources.map((table) => {
      const section = tableSection(table, report, places);
      return { ...section, blocks: [...section.blocks, columns] };
    }),
    {
      id: "absent",
      title: "",
      blocks: absent.length === 0 ? [] : [{ kind: "text", text: none, muted: true } as const],
    },
  ];
  return sections.map((section) => inPart(section, report));
}

/** A table under its picture. */
function tableSection(table: Table, report: MismatchReport, places: ReportPlaces | undefined): Section {
  const shown = onPage(table, report, places);
  const [section] = tableSections([shown]);
  return {
    ...section!,
    blocks: [...pictures(sectionPictures(report, table.id), shown.raw), ...section!.blocks],
  };
}

function findingSection(findings: MismatchReport["findings"], none?: string): Section {
  const entries = findingEntries(findings);
  return {
    id: "findings",
    title: "Findings",
    blocks: [{ kind: "entries", entries, ...(none === undefined ? {} : { none }) }],
  };
}

function stepBlocks({ per_step }: MismatchReport): Block[] {
  return [{ kind: "charts", charts: reportStepCharts(per_step) }];
}

/** @param raw data of the table below them */
function pictures(drawings: readonly Drawing[], raw?: Table["raw"]): Picture[] {
  return drawings.map(({ id, draw, rows = raw }) => ({
    kind: "picture",
    id,
    chart: "large",
    svg: draw,
    ...(rows && { raw: rows }),
  }));
}

function leftOutItems(report: MismatchReport): string[] {
  const told = [...leftOutLines(report), ...otherFiles(report)];
  const warnings = countOtherWarnings(report);
  const nothing = told.length === 0;
  return [
    ...(nothing ? ["nothing"] : told),
    ...(warnings === 0 ? [] : [`${plural(warnings, nothing ? "warning" : "other warning")}, see Findings`]),
  ];
}

/** Readings with their sources, for media where no table of them follows. */
function keyFigureTable(report: MismatchReport, { isShort }: ReportLimits): Table {
  const figures = keyFigures(report);
  const without = figures.flatMap((figure) =>
    figure.reason === undefined ? [] : [`${figure.label} ${noInterval(figure).replace(/^— /, "")}`],
  );
  const columns = [
    textColumn(
      "figure",
      figures.map(({ label }) => label),
      { meanings: figures.map(({ meaning }) => meaning) },
    ),
    textColumn(
      "value",
      figures.map(({ value }) => value),
      { align: "right" },
    ),
    textColumn(
      "95 % interval",
      figures.map(({ interval, reason }) =>
        interval === undefined ? (reason === undefined ? "" : "—") : `${interval.low} – ${interval.high}`,
      ),
      { align: "right" },
    ),
    textColumn(
      "reading",
      figures.map(({ reading }) => (reading?.caution === undefined ? (reading?.level ?? "") : "unreliable")),
      { levels: figures.map(({ reading }) => reading?.level ?? "none") },
    ),
    textColumn(
      "published baseline",
      figures.map(({ reading }) => {
        if (reading === undefined) return "";
        if (reading.caution !== undefined) return reading.caution;
        return isShort ? `${reading.band} (${reading.source})` : reading.band;
      }),
      { wrap: true },
    ),
  ];
  const note = without.length === 0 ? undefined : `no 95 % interval: ${without.join(", ")}`;
  const table = makeTable("key-figures", SECTION_TITLES.keyFigures, columns, note);
  return {
    ...withRows(
      table,
      figures.map((figure) => exportRow(report, figure)),
    ),
    isWhole: true,
  };
}

function exportRow({ metrics, intervals }: MismatchReport, { key, meaning, reading }: KeyFigure): object {
  const { low = null, high = null, reason = null } = intervals[key] ?? {};
  return {
    figure: key,
    value: (metrics as unknown as Readonly<Record<string, number | null>>)[key] ?? reading?.value ?? null,
    low,
    high,
    no_interval: reason,
    meaning,
    level: reading?.level ?? null,
    baseline: reading?.band ?? null,
    source: reading?.source ?? null,
  };
}

/**
 * The report for pasting into an issue: verdict, key figures, facts, short tables, findings, command to repeat it.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { reportRun } from "logratio/node";
 * import { renderMarkdown } from "logratio/render";
 *
 * const report = await reportRun("examples/demo/stale", { steps: "10" });
 * assert(renderMarkdown(report).startsWith("### Rollout/trainer mismatch"));
 * ```
 *
 * @param report of `reportRun`, `buildReport`, or `logratio report --json`
 * @returns GitHub-flavored Markdown
 */
export function renderMarkdown(report: MismatchReport, { command }: MarkdownOptions = {}): string {
  return writeMarkdown(buildReportDocument(report, MARKDOWN), { command: command ?? repeatCommand(report) });
}

/**
 * The report as one self-contained HTML page: no script from elsewhere, foreign text escaped.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { reportRun } from "logratio/node";
 * import { renderHtml } from "logratio/render";
 *
 * const report = await reportRun("examples/demo/stale", { steps: "10" });
 * assert(renderHtml(report).startsWith("<!doctype html>"));
 * ```
 *
 * @param report of `reportRun`, `buildReport`, or `logratio report --json`
 * @returns HTML, `<!doctype html>` to `</html>`
 */
export function renderHtml(report: MismatchReport, options: HtmlReportOptions = {}): string {
  return writePage(buildReportDocument(report, { ...PAGE, ...options }));
}
