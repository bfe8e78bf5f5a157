import { formatPlace } from "../../core/base/index.ts";
import type { Finding } from "../../core/schema/index.ts";
import type { MismatchReport } from "../../results/index.ts";
import type { Table } from "../document/index.ts";
import type { Style, Surface } from "../terminal/index.ts";
import { drawTable, pad, wrap } from "../terminal/index.ts";
import { columnLines } from "./input.ts";
import { detailTables } from "./sections.ts";

/** A terminal shows this many rows of steps and files; the HTML report and `--json` show more. */
const MOST_STEPS = 20;
const MOST_SOURCES = 20;

/** Every table, then the findings, then what was read. */
export function drawDetails(report: MismatchReport, surface: Surface): string[] {
  const { tables, sources, absent } = detailTables(report, { steps: MOST_STEPS, sources: MOST_SOURCES });
  return [
    ...tables.flatMap((table) => drawSection(table, surface)),
    ...drawFindings(report, surface),
    ...sources.flatMap((table) => drawSection(table, surface)),
    ...columnLines(report).flatMap(({ label, text }) => labelled(label, text, surface)),
    ...(absent.length === 0 ? [] : ["", ...dimLines(`no table for: ${absent.join(", ")}`, surface, 0)]),
  ];
}

function drawSection(table: Table, surface: Surface): string[] {
  const { lines, leftOut } = drawTable(table, surface);
  const noRoom = leftOut.length === 0 ? "" : surface.text(`  no room for ${leftOut.join(", ")}`);
  const title = heading(table.title, surface) + surface.style(noRoom, "dim");
  return ["", title, ...(table.note === undefined ? [] : dimLines(table.note, surface, 2)), ...lines];
}

function drawFindings(report: MismatchReport, surface: Surface): string[] {
  const lines = report.findings.flatMap((finding) => drawFinding(finding, surface));
  return ["", heading("Findings", surface), ...(lines.length === 0 ? dimLines("none", surface, 2) : lines)];
}

const SEVERITY_STYLES: Readonly<Record<Finding["severity"], Style>> = {
  info: "dim",
  warning: "caution",
  skipped: "caution",
};

function drawFinding(finding: Finding, surface: Surface): string[] {
  const { severity, message, at, likely, hint } = finding;
  const place = formatPlace(at);
  const margin = 2 + LABEL_COLUMNS + 1;
  const [first = "", ...rest] = wrap(surface.text(message), surface.width - margin);
  const head = `  ${surface.style(pad(severity, LABEL_COLUMNS), SEVERITY_STYLES[severity])} ${first}`;
  return [
    head,
    ...rest.map((line) => " ".repeat(margin) + line),
    ...(place === "" ? [] : labelled("at", place, surface, margin)),
    ...(likely === undefined ? [] : labelled("cause", likely, surface, margin)),
    ...(hint === undefined ? [] : labelled("try", hint, surface, margin)),
  ];
}

const LABEL_COLUMNS = 8;

function labelled(label: string, text: string, surface: Surface, indent = 2): string[] {
  const margin = indent + LABEL_COLUMNS;
  return wrap(surface.text(text), surface.width - margin).map(
    (line, index) =>
      " ".repeat(indent) + surface.style(pad(index === 0 ? label : "", LABEL_COLUMNS), "dim") + line,
  );
}

function heading(title: string, surface: Surface): string {
  return surface.style(surface.text(title), "bold");
}

function dimLines(text: string, surface: Surface, indent: number): string[] {
  const lines = wrap(surface.text(text), surface.width - indent);
  return lines.map((line) => " ".repeat(indent) + surface.style(line, "dim"));
}
