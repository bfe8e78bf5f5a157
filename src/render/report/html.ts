import { formatPlace } from "../../core/base/index.ts";
import type { Finding } from "../../core/schema/index.ts";
import type { MismatchReport } from "../../results/index.ts";
import type { Table } from "../document/index.ts";
import { escapeHtml, htmlTable, SCRIPT, SECURITY_POLICY, STYLE } from "../html/index.ts";
import { htmlFigure, htmlHeader, htmlOverview } from "./html-overview.ts";
import { sectionPictures } from "./html-pictures.ts";
import { columnLines } from "./input.ts";
import { detailTables } from "./sections.ts";

/** Keeps a page of a thousand steps under 400 kB; `--json` has everything. */
const MOST_STEPS = 1000;
const MOST_SOURCES = 100;

/**
 * The report as one page: no network, opens from `file://`, reads without its script, prints. Everything that came
 * from files is escaped, and the page's own policy allows no style and no script but its own.
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
export function renderHtml(report: MismatchReport): string {
  const { tables, sources, absent } = detailTables(report, { steps: MOST_STEPS, sources: MOST_SOURCES });
  const sections = [
    ...tables.map((table) => ({
      id: anchor(table.id),
      title: table.title,
      body: htmlTableSection(report, table),
    })),
    { id: "findings", title: "Findings", body: htmlFindings(report.findings) },
    ...sources.map((table) => ({
      id: table.id,
      title: table.title,
      body: htmlTableSection(report, table) + htmlColumns(report),
    })),
  ];
  const title = `${report.run}: ${report.verdict.level} · logratio report`;
  return [
    "<!doctype html>",
    '<html lang=en><head><meta charset=utf-8><meta name=generator content="logratio report"><meta name=viewport content="width=device-width,initial-scale=1">',
    `<meta http-equiv=Content-Security-Policy content="${SECURITY_POLICY}">`,
    `<meta name=referrer content=no-referrer><title>${escapeHtml(title)}</title>`,
    `<style>${STYLE}</style></head><body>`,
    htmlHeader(report),
    "<main>",
    htmlOverview(report),
    `<nav aria-label=Sections>${sections.map(({ id, title: name }) => `<a href="#${id}">${escapeHtml(name)}</a>`).join(" ")}</nav>`,
    ...sections.map(
      ({ id, title: name, body }) =>
        `<section id="${id}"><h2><a href="#${id}">${escapeHtml(name)}</a></h2>${body}</section>`,
    ),
    absent.length === 0 ? "" : `<p class=note>No table for: ${escapeHtml(absent.join(", "))}.</p>`,
    "</main>",
    "<footer>logratio report. Δ = log p trainer − log p rollout of the sampled token, in nats; all figures are before any truncation. ",
    "This page holds no text of prompts or responses and loads nothing.</footer>",
    `<script>${SCRIPT}</script></body></html>\n`,
  ].join("\n");
}

function htmlTableSection(report: MismatchReport, table: Table): string {
  const note = table.note === undefined ? "" : `<p class=note>${escapeHtml(table.note)}</p>`;
  const pictures = sectionPictures(report, table.id);
  const charts = pictures.length === 0 ? "" : `<div class=charts>${pictures.map(htmlFigure).join("")}</div>`;
  return note + charts + htmlTable(table);
}

function htmlFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return "<p class=muted>none</p>";
  return findings.map(htmlFinding).join("");
}

function htmlFinding({ severity, message, at, likely, hint }: Finding): string {
  const place = formatPlace(at);
  const entries = [
    ["at", place],
    ["cause", likely ?? ""],
    ["try", hint ?? ""],
  ] as const;
  const list = entries
    .filter(([, text]) => text !== "")
    .map(([label, text]) => `<dt>${label}<dd>${escapeHtml(text)}`);
  const mark = severity === "info" ? "" : " class=warn";
  return `<div${mark}><p><b>${severity}</b> ${escapeHtml(message)}</p>${list.length === 0 ? "" : `<dl>${list.join("")}</dl>`}</div>`;
}

function htmlColumns(report: MismatchReport): string {
  const lines = columnLines(report).map(({ label, text }) => `<dt>${label}<dd>${escapeHtml(text)}`);
  return lines.length === 0 ? "" : `<dl>${lines.join("")}</dl>`;
}

/** Trainers name their tables, and names come from files. */
function anchor(id: string): string {
  return id.toLowerCase().replace(/[^a-z0-9-]+/g, "-");
}
