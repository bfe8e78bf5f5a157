/**
 * Rows of any table of the page as a Parquet file: the page has no writer of its own.
 *
 * @module
 */

import { LimitError, UsageError } from "../../../core/base/index.ts";
import { formatCount } from "../../../core/text/index.ts";
import { type ColumnBatch, type ColumnSpec, writeParquet } from "../../../input/readers/index.ts";

/** Beyond these limits, the writer takes many seconds and much memory. */
const MOST_COLUMNS = 512;
const MOST_CELLS = 2 ** 23;

type Cell = string | number | boolean | null;
type Row = Readonly<Record<string, Cell>>;

/** Rows to write, as the page sends them. */
export interface TableTask {
  /** UTF-8 of JSON. */
  readonly json: Uint8Array;
  readonly file: string;
}

/**
 * Columns are those of all rows, in the order in which they are first seen: numbers as double precision, true and false
 * as booleans, everything else as text.
 *
 * @throws UsageError when these are not rows, LimitError when they are too many or too wide
 */
export async function writeTable({ json, file }: TableTask): Promise<void> {
  const rows = checkRows(parse(json));
  const specs = [...collectNames(rows)].map((name) => describeColumn(name, rows));
  await writeParquet(file, specs, batch(rows, specs));
}

function parse(json: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(json));
  } catch (cause) {
    throw new UsageError(`the rows are not JSON: ${cause instanceof Error ? cause.message : ""}`, { cause });
  }
}

function checkRows(value: unknown): readonly Row[] {
  const isRow = (row: unknown): row is Row =>
    typeof row === "object" &&
    row !== null &&
    !Array.isArray(row) &&
    Object.values(row).every(
      (value) => value === null || ["string", "number", "boolean"].includes(typeof value),
    );
  if (Array.isArray(value) && value.every(isRow)) return value;
  throw new UsageError("rows are a list of objects of texts, numbers, true, false and null");
}

function collectNames(rows: readonly Row[]): ReadonlySet<string> {
  const names = new Set<string>();
  const spelt = new Map<string, string>();
  for (const name of rows.flatMap((row) => Object.keys(row))) {
    if (names.has(name)) continue;
    const same = spelt.get(name.toLowerCase());
    if (same !== undefined) throw new UsageError(`columns ${same} and ${name} differ only in case`);
    spelt.set(name.toLowerCase(), name);
    names.add(name);
    if (names.size > MOST_COLUMNS)
      throw new LimitError(`the rows have more than ${MOST_COLUMNS} columns: export fewer at a time`);
  }
  if (names.size === 0) throw new UsageError("there are no rows to write");
  if (names.has("") || [...names].some((name) => name.includes("\0")))
    throw new UsageError("a column's name is empty or has the character NUL");
  if (names.size * rows.length > MOST_CELLS)
    throw new LimitError(
      `${formatCount(rows.length)} rows of ${names.size} columns pass ${formatCount(MOST_CELLS)} cells: export fewer at a time`,
    );
  return names;
}

/** A row's own value: `__proto__` and `constructor` are names of columns like any other. */
function cellAt(row: Row, name: string): Cell {
  return Object.hasOwn(row, name) ? (row[name] ?? null) : null;
}

function describeColumn(name: string, rows: readonly Row[]): ColumnSpec {
  const types = new Set(
    rows.map((row) => {
      const cell = cellAt(row, name);
      if (cell === null) return "null";
      return NUMBERS.includes(cell) ? "number" : typeof cell;
    }),
  );
  types.delete("null");
  const [only] = types;
  if (types.size === 1 && only === "number") return { name, type: "float64" };
  return { name, type: types.size === 1 && only === "boolean" ? "bool" : "string" };
}

/** JSON cannot express these numbers, so they arrive as texts. */
const NUMBERS: readonly Cell[] = ["NaN", "Infinity", "-Infinity"];

async function* batch(rows: readonly Row[], specs: readonly ColumnSpec[]): AsyncGenerator<ColumnBatch> {
  yield {
    length: rows.length,
    columns: specs.map(({ name, type }) => {
      const cells = rows.map((row) => cellAt(row, name));
      const valid = Uint8Array.from(cells, (cell) => (cell === null ? 0 : 1));
      if (type === "float64")
        return { values: Float64Array.from(cells, (cell) => Number(cell ?? NaN)), valid };
      if (type === "bool")
        return { values: Uint8Array.from(cells, (cell) => (cell === true ? 1 : 0)), valid };
      return { values: cells.map((cell) => (cell === null ? null : String(cell))) };
    }),
  };
}
