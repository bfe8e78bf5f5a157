/**
 * Series in JSON and Parquet: recognizes which logger's shape a document has, and reads its values.
 *
 * @module
 */
import { isNumericArray } from "../../core/base/index.ts";
import { type FindingLog, unreadableRows } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import {
  isList,
  isMap,
  type RowDocument,
  type RowMap,
  type SourceDocument,
  type TreeMap,
  type TreeValue,
} from "../../input/io/index.ts";
import { NOT_METRICS, type SeriesBuilder, type SeriesForm, STEP_NAMES, toLogged, toStep } from "./series.ts";

/** Columns of dumps of texts, whose rows also have a step and a score. */
const TEXTS: readonly string[] = [
  "prompt",
  "prompts",
  "completion",
  "input",
  "output",
  "response",
  "responses",
  "messages",
  "content",
  "text",
];
const MOST_DEEP = 4;

/** The logger that wrote a document; undefined for anything other than logged metrics. */
export function describeSeries(document: SourceDocument): SeriesForm | undefined {
  if (document.kind === "rows") return describeRows(document);
  return document.format === "json" || document.format === "jsonl" ? describeTree(document.root) : undefined;
}

/** Adds the values of a document that {@link describeSeries} knows. */
export async function addDocument(
  document: SourceDocument,
  form: SeriesForm,
  builder: SeriesBuilder,
  findings: FindingLog,
): Promise<void> {
  if (document.kind === "tree") {
    addTree(document.root, form, builder);
    return;
  }
  const { file } = document;
  const chunks = document.chunks({
    onBadRow: (bad) => {
      findings.add({
        code: bad.message.includes("cut off") ? "partial-line" : "bad-row",
        severity: "skipped",
        subject: file,
        count: 1,
        at: { file, row: bad.row, ...(bad.line === undefined ? {} : { line: bad.line }) },
        describe: (count) => unreadableRows(count, bad.message),
      });
    },
  });
  for await (const chunk of chunks) {
    for (let i = 0; i < chunk.length; i++) {
      const row: Record<string, TreeValue> = {};
      for (const name of chunk.names(i)) row[name] = (chunk.get(i, name) ?? null) as TreeValue;
      if (!addRow(row, form, builder)) tellStepless(file, chunk.firstRow + i, findings);
    }
  }
}

function tellStepless(file: string, row: number, findings: FindingLog): void {
  findings.add({
    code: "note",
    severity: "info",
    subject: `${file} without a step`,
    count: 1,
    at: { file, row },
    likely: "it is about the whole run",
    describe: (count) => `${plural(count, "row")} without a step: left out`,
  });
}

function describeRows({ sample, format }: RowDocument): SeriesForm | undefined {
  const rows = sample.filter((row) => Object.keys(row).length > 0) as readonly TreeMap[];
  if (rows.length === 0) return undefined;
  if (rows.every(isVerlLine)) return "verl's file logger";
  if (rows.some(holdsMore)) return undefined;
  // Some loggers end with a row about the whole run.
  const steps = rows.flatMap((row) => findStep(row) ?? []);
  if (steps.length * 2 <= rows.length) return undefined;
  const names = rows.flatMap((row) => metricNames(row));
  const isSpread = new Set(steps).size * 2 > steps.length || names.some((name) => name.includes("/"));
  if (names.length === 0 || !isSpread) return undefined;
  return format === "parquet" ? "Parquet with a step" : "JSON lines with a step";
}

function isVerlLine(row: TreeMap): boolean {
  return typeof row.step === "number" && isMap(row.data) && Object.keys(row).length === 2;
}

/** Whether a row has texts or an array, as in dumps: a row of a dump may also have a step and a score. */
function holdsMore(row: TreeMap): boolean {
  return (
    TEXTS.some((name) => Object.hasOwn(row, name)) ||
    Object.values(row).some((value) => (isNumericArray(value) || isList(value)) && value.length > 1)
  );
}

function findStep(row: TreeMap): number | undefined {
  for (const name of STEP_NAMES) {
    const step = Object.hasOwn(row, name) ? toStep(row[name]) : undefined;
    if (step !== undefined && Number.isFinite(step)) return step;
  }
  return undefined;
}

function metricNames(row: TreeMap): string[] {
  return Object.keys(row).filter(
    (name) =>
      !NOT_METRICS.has(name) && (toLogged(row[name]) !== undefined || isMap(row[name]) || name === "metrics"),
  );
}

function describeTree(root: TreeMap): SeriesForm | undefined {
  const values = Object.values(root);
  if (values.length === 0) return undefined;
  if (isVerlLine(root)) return "verl's file logger";
  if (isList(root.log_history) && root.log_history.some((row) => isMap(row) && findStep(row) !== undefined))
    return "Trainer state (transformers)";
  const { columns, data } = root;
  if (
    isList(columns) &&
    columns.every((name) => typeof name === "string") &&
    isList(data) &&
    data.length > 0
  ) {
    const row = tableRow(root, 0);
    return holdsMore(row) || findStep(row) === undefined ? undefined : "table (columns and data)";
  }
  if (values.every((value) => isMap(value) && isMap(value.values) && value.step_interval !== undefined))
    return "golden values (Megatron-LM)";
  if (values.every(isStepMap)) return "metric to steps (NeMo-RL)";
  if (holdsMore(root)) return undefined;
  if (Object.hasOwn(root, "_step") || Object.hasOwn(root, "_runtime")) return "W&B summary";
  return findStep(root) !== undefined && metricNames(root).some((name) => name.includes("/"))
    ? "JSON lines with a step"
    : undefined;
}

function isStepMap(value: TreeValue): value is TreeMap {
  if (!isMap(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 &&
    entries.every(
      ([step, number]) => /^\d{1,12}$/.test(step) && (number === null || toLogged(number) !== undefined),
    )
  );
}

/** A row of a table as an object; its cells are a list, or an array where all are numbers. */
function tableRow({ columns, data }: TreeMap, at: number): TreeMap {
  const cells = (data as readonly TreeValue[])[at];
  if (!isList(cells) && !isNumericArray(cells)) return {};
  return Object.fromEntries(
    (columns as readonly string[]).map((name, column) => [name, cells[column] ?? null]),
  );
}

function addTree(root: TreeMap, form: SeriesForm, builder: SeriesBuilder): void {
  switch (form) {
    case "Trainer state (transformers)":
      for (const row of root.log_history as readonly TreeValue[]) if (isMap(row)) addRow(row, form, builder);
      return;
    case "table (columns and data)":
      for (let at = 0; at < (root.data as readonly TreeValue[]).length; at++)
        addRow(tableRow(root, at), form, builder);
      return;
    case "golden values (Megatron-LM)":
      for (const [metric, golden] of Object.entries(root))
        if (isMap(golden) && isMap(golden.values)) addSteps(metric, golden.values, builder);
      return;
    case "metric to steps (NeMo-RL)":
      for (const [metric, values] of Object.entries(root))
        if (isMap(values)) addSteps(metric, values, builder);
      return;
    default:
      addRow(root, form, builder);
  }
}

function addSteps(metric: string, values: TreeMap, builder: SeriesBuilder): void {
  for (const [step, value] of Object.entries(values)) {
    const logged = value === null ? Number.NaN : toLogged(value);
    if (logged !== undefined && /^\d{1,12}$/.test(step)) builder.add(metric, Number(step), logged);
  }
}

/**
 * Adds a row's metrics. In a row of verl's file logger null is a NaN; elsewhere it means absent.
 *
 * @returns whether the row has a step
 */
export function addRow(row: TreeMap, form: SeriesForm, builder: SeriesBuilder): boolean {
  // A summary has the last values; W&B counts its own steps from 0.
  const step = findStep(row) ?? (form === "W&B summary" ? 0 : undefined);
  if (step === undefined) return false;
  const isVerl = form === "verl's file logger";
  const run = [row.run_name, row.run].find((name) => typeof name === "string") as string | undefined;
  addMetrics(isVerl && isMap(row.data) ? row.data : row, "", isVerl, (metric, value) => {
    builder.add(metric, step, value, isVerl ? "" : run);
  });
  return true;
}

function addMetrics(
  row: TreeMap | RowMap,
  prefix: string,
  isNullNaN: boolean,
  add: (metric: string, value: number) => void,
  depth = 0,
): void {
  for (const [name, value] of Object.entries(row) as [string, TreeValue][]) {
    if (depth === 0 && !isNullNaN && (NOT_METRICS.has(name) || name.startsWith("_"))) continue;
    // trackio stores a row's metrics as JSON text.
    const inner = name === "metrics" && typeof value === "string" ? parseMetrics(value) : value;
    const logged = value === null && isNullNaN ? Number.NaN : toLogged(inner);
    if (logged !== undefined) add(prefix + name, logged);
    else if (isMap(inner) && depth < MOST_DEEP)
      addMetrics(inner, name === "metrics" ? prefix : `${prefix}${name}.`, isNullNaN, add, depth + 1);
  }
}

function parseMetrics(text: string): TreeValue {
  try {
    return JSON.parse(text) as TreeValue;
  } catch {
    return null;
  }
}
