/**
 * Series in text: tables with a step column, verl's lines on the console, MLflow's files.
 *
 * @module
 */
import type { FindingLog } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import { CONSOLE, readConsoleLines, readValue } from "./console-lines.ts";
import { NOT_METRICS, type SeriesBuilder, type SeriesForm, STEP_NAMES, toLogged } from "./series.ts";
import { findSeparator, parseRows } from "./text-table.ts";

/** Milliseconds, value, step (mlflow/store/tracking/file_store.py). */
const MLFLOW = /^(\d{10,16}) (\S+) (\d+)$/;
const SAMPLE_LINES = 200;

/** Recognizes a text by its beginning; undefined for anything else. */
export function describeText(head: string, name: string): SeriesForm | undefined {
  const text = head.slice(findFirstLine(head));
  const lines = text.split(/\r?\n/, SAMPLE_LINES).filter((line) => line !== "");
  if (
    lines.length > 0 &&
    /[/\\]metrics[/\\]/.test(name) &&
    lines
      .slice(0, -1)
      .concat(lines[0]!)
      .every((line) => MLFLOW.test(line))
  )
    return "MLflow metric";
  if (lines.some((line) => CONSOLE.test(line))) return "verl's console log";
  const separator = findSeparator(text);
  const header = separator === undefined ? undefined : [...parseRows(lines[0] ?? "", separator)][0];
  return header !== undefined && findStepColumn(header) !== undefined && header.length > 1
    ? "CSV"
    : undefined;
}

/** Start of the first line that is not blank. */
function findFirstLine(text: string): number {
  return text.lastIndexOf("\n", text.search(/\S/)) + 1;
}

/** @param name the path, which names an MLflow metric */
export function addText(
  text: string,
  form: SeriesForm,
  name: string,
  builder: SeriesBuilder,
  findings: FindingLog,
): void {
  const plain = text.replace(/^\ufeff/, "");
  if (form === "CSV") addTable(plain, name, builder, findings);
  else if (form === "MLflow metric") addMlflow(plain, name, builder);
  else addConsole(plain, name, builder, findings);
}

function findStepColumn(header: readonly string[]): number | undefined {
  for (const name of STEP_NAMES) {
    const at = header.findIndex((column) => column.trim().replace(/^\ufeff/, "") === name);
    if (at >= 0) return at;
  }
  return undefined;
}

interface Column {
  readonly at: number;
  readonly run: string;
  readonly metric: string;
}

/** W&B exports `run - metric`, each with the extremes of its samples, which are not separate metrics. */
function readHeader(header: readonly string[]): Column[] {
  return header.flatMap((name, at) => {
    const trimmed = name.trim().replace(/^\ufeff/, "");
    if (NOT_METRICS.has(trimmed) || trimmed === "" || /__(?:MIN|MAX)$/.test(trimmed)) return [];
    const cut = trimmed.lastIndexOf(" - ");
    const metric = cut < 0 ? trimmed : trimmed.slice(cut + 3);
    return NOT_METRICS.has(metric) ? [] : [{ at, run: cut < 0 ? "" : trimmed.slice(0, cut), metric }];
  });
}

function addTable(text: string, file: string, builder: SeriesBuilder, findings: FindingLog): void {
  const start = findFirstLine(text);
  const table = text.slice(start);
  const rows = parseRows(table, findSeparator(table) ?? ",");
  const header = rows.next().value as string[] | undefined;
  const stepColumn = findStepColumn(header ?? []);
  if (header === undefined || stepColumn === undefined) return;
  const columns = readHeader(header);
  const runColumn = header.findIndex((name) => name.trim() === "run_name" || name.trim() === "run");
  let line = text.slice(0, start).split("\n").length;
  for (const row of rows) {
    line++;
    const step = toLogged(row[stepColumn]);
    if (step === undefined || !Number.isFinite(step)) {
      if (row.every((field) => field.trim() === "")) continue;
      findings.add({
        code: "bad-row",
        severity: "skipped",
        subject: file,
        count: 1,
        at: { file, line },
        describe: (count) => `${plural(count, "row")} without a number in the column ${header[stepColumn]}`,
      });
      continue;
    }
    for (const { at, run, metric } of columns) {
      const value = toLogged(row[at]);
      if (value !== undefined) builder.add(metric, step, value, run || (row[runColumn] ?? ""));
    }
  }
}

function addConsole(text: string, file: string, builder: SeriesBuilder, findings: FindingLog): void {
  const { entries, strays } = readConsoleLines(text);
  for (const { step, parts, line, joined, cut } of entries) {
    for (const part of parts) {
      const value = readValue(part);
      const colon = part.lastIndexOf(":");
      if (colon > 0 && value !== undefined) builder.add(part.slice(0, colon).trim(), step, value);
    }
    const at = { file, line };
    if (joined > 0) tellJoined(joined, at, findings);
    if (cut !== undefined) tellCut(cut, at, findings);
  }
  if (strays.length > 0) tellStrays(strays, file, findings);
}

interface LinePlace {
  readonly file: string;
  readonly line: number;
}

function tellJoined(count: number, at: LinePlace, findings: FindingLog): void {
  findings.add({
    code: "note",
    severity: "info",
    subject: "wrapped lines",
    count,
    at,
    likely: "a terminal or a paste broke long lines",
    describe: (total) =>
      `${plural(total, "line continues", "lines continue")} the console line before: read as one`,
  });
}

function tellCut(metric: string, at: LinePlace, findings: FindingLog): void {
  findings.add({
    code: "partial-line",
    severity: "skipped",
    subject: "cut values",
    count: 1,
    at,
    likely: "a terminal or a paste broke or cut off long lines",
    hint: "take the metrics from the trainer's log file instead",
    describe: (total) =>
      `${plural(total, "metric")} at the end of a console line ${total === 1 ? "is" : "are"} cut off, or may be, and left out: ${total === 1 ? "" : "the first, "}${metric}`,
  });
}

function tellStrays(lines: readonly number[], file: string, findings: FindingLog): void {
  findings.add({
    code: "partial-line",
    severity: "skipped",
    subject: "lines without a step",
    count: lines.length,
    at: { file, line: lines[0]! },
    likely: "the line with their step was cut off",
    describe: (total) =>
      `${plural(total, "line")} of console metrics ${total === 1 ? "belongs" : "belong"} to no step and ${total === 1 ? "is" : "are"} left out`,
  });
}

function addMlflow(text: string, name: string, builder: SeriesBuilder): void {
  const metric = name
    .split(/[/\\]metrics[/\\]/)
    .at(-1)!
    .replaceAll("\\", "/");
  for (const line of text.split(/\r?\n/)) {
    const [, , value, step] = MLFLOW.exec(line) ?? [];
    const logged = toLogged(value);
    if (logged !== undefined) builder.add(metric, Number(step), logged);
  }
}
