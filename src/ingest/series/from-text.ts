/**
 * Series in text: tables with a step column, what programs print, MLflow's files.
 *
 * @module
 */
import type { FindingLog } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import { addConsole } from "./console/read-console.ts";
import { NOT_METRICS, type SeriesBuilder, STEP_NAMES, toLogged, toStep } from "./series.ts";
import { findSeparator, parseRows } from "./text-table.ts";

/** Milliseconds, value, step (mlflow/store/tracking/file_store.py). */
const MLFLOW = /^(\d{10,16}) (\S+) (\d+)$/;
const SAMPLE_LINES = 200;
const HEAD = 64 * 1024;

/** What a text may be, by its beginning; whether a console has metrics, only the whole text tells. */
type TextKind = "MLflow metric" | "CSV" | "console";

function describeText(head: string, name: string): TextKind {
  const lines = head.split(/\r?\n/, SAMPLE_LINES).filter((line) => line !== "");
  if (
    lines.length > 0 &&
    /[/\\]metrics[/\\]/.test(name) &&
    lines
      .slice(0, -1)
      .concat(lines[0]!)
      .every((line) => MLFLOW.test(line))
  )
    return "MLflow metric";
  const separator = findSeparator(head);
  const header = separator === undefined ? undefined : [...parseRows(lines[0] ?? "", separator)][0];
  return header !== undefined && findStepColumn(header) !== undefined && header.length > 1
    ? "CSV"
    : "console";
}

/** Start of the first line that is not blank. */
function findFirstLine(text: string): number {
  return text.lastIndexOf("\n", text.search(/\S/)) + 1;
}

/**
 * Adds the metrics of a text.
 *
 * @param name the path, which names an MLflow metric
 * @returns who wrote it; undefined for a text without metrics
 */
export function addText(
  text: string,
  name: string,
  builder: SeriesBuilder,
  findings: FindingLog,
): string | undefined {
  const plain = text.replace(/^\ufeff/, "");
  const start = findFirstLine(plain);
  const kind = describeText(plain.slice(start, start + HEAD), name);
  if (kind === "console") return addConsole(plain, name, builder, findings).join(" and ") || undefined;
  if (kind === "CSV") addTable(plain, name, builder, findings);
  else addMlflow(plain, name, builder);
  return builder.isEmpty ? undefined : kind;
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
    const step = toStep(row[stepColumn]);
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
