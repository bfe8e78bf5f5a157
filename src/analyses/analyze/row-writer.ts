/**
 * Objects into a DuckDB table whose columns are found on the way.
 *
 * @module
 */
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBAppender,
  DuckDBDataChunk,
  type DuckDBType,
  VARCHAR,
} from "@duckdb/node-api";
import duckdb, { type Vector } from "@duckdb/node-bindings";
import { type Database, sqlName } from "./database.ts";
import type { LogRecord } from "./parse-line.ts";

export type ColumnKind = "BOOLEAN" | "BIGINT" | "DOUBLE" | "VARCHAR";

export interface RowWriter {
  /** Adds a row; values of keys in `place` win over those of the record. */
  add(record: LogRecord, file: string, line: number): Promise<void>;
  /** Writes what is left, and makes columns of the keys that never had a value. */
  finish(): Promise<void>;
  readonly rows: number;
  /** Keys that were met and not kept, by choice. */
  readonly leftOut: ReadonlySet<string>;
  /** Keys beyond the largest number of columns. */
  readonly tooMany: ReadonlySet<string>;
}

export interface RowWriterOptions {
  readonly table: string;
  /** Which keys become columns; default all. */
  readonly keep?: (key: string) => boolean;
}

/** Where a row came from. Keys of the same name in records get a number. */
export const PLACE_COLUMNS = ["log_file", "log_line"] as const;

const VECTOR_ROWS = 2048;
const MOST_COLUMNS = 1000;
const TYPES: Readonly<Record<ColumnKind, DuckDBType>> = { BOOLEAN, BIGINT, DOUBLE, VARCHAR };

interface Column {
  readonly name: string;
  /** Undefined until the first value that is not null. */
  kind: ColumnKind | undefined;
  /** Of the rows held; shorter where the last rows lack the key. */
  values: unknown[];
}

/**
 * Makes `options.table` and fills it. A key is a column of truth values, integers or floating-point numbers as long as
 * its values are, and of text from the first that is not: arrays and objects are JSON text. Column names are unique
 * whatever their case, since SQL does not tell them apart by it.
 */
export async function createRowWriter(database: Database, options: RowWriterOptions): Promise<RowWriter> {
  const { table, keep = () => true } = options;
  const columns: Column[] = [];
  const byKey = new Map<string, Column | undefined>();
  const names = new Set<string>();
  const leftOut = new Set<string>();
  const tooMany = new Set<string>();
  let appender: DuckDBAppender | undefined;
  let held = 0;
  let rows = 0;

  const addColumn = (key: string, kind?: ColumnKind): Column => {
    // DuckDB takes neither an empty name nor one that holds the character that ends its texts.
    const base = key.replaceAll("\0", "\ufffd") || "unnamed";
    let name = base;
    for (let i = 2; names.has(name.toLowerCase()); i++) name = `${base}_${i}`;
    names.add(name.toLowerCase());
    const column: Column = { name, kind, values: [] };
    columns.push(column);
    return column;
  };
  const [file, line] = [addColumn("log_file", "VARCHAR"), addColumn("log_line", "BIGINT")];
  await database.run(`CREATE TABLE ${sqlName(table)} (log_file VARCHAR, log_line BIGINT)`);

  const getColumn = (key: string): Column | undefined => {
    let column: Column | undefined;
    if (!keep(key)) leftOut.add(key);
    else if (columns.length >= MOST_COLUMNS) tooMany.add(key);
    else column = addColumn(key);
    byKey.set(key, column);
    return column;
  };

  /** Gives the table the columns and types that the held rows need. */
  const widen = async (column: Column, kind: ColumnKind): Promise<void> => {
    appender?.closeSync();
    appender = undefined;
    await database.run(
      column.kind === undefined
        ? `ALTER TABLE ${sqlName(table)} ADD COLUMN ${sqlName(column.name)} ${kind}`
        : `ALTER TABLE ${sqlName(table)} ALTER COLUMN ${sqlName(column.name)} TYPE ${kind}`,
    );
    column.kind = kind;
  };

  // In the table's order, which is that of the first value, not of the first key.
  const inTable: Column[] = [file, line];
  const flush = async (): Promise<void> => {
    if (held === 0) return;
    for (const column of columns) {
      const kind = kindOfAll(column.kind, column.values);
      if (kind === undefined || kind === column.kind) continue;
      if (column.kind === undefined) inTable.push(column);
      await widen(column, kind);
    }
    appender ??= await database.connection.createAppender(table);
    const chunk = DuckDBDataChunk.create(
      inTable.map(({ kind }) => TYPES[kind!]),
      held,
    );
    const { chunk: raw } = chunk as unknown as { chunk: Parameters<typeof duckdb.data_chunk_get_vector>[0] };
    inTable.forEach(({ kind, values }, i) => {
      fill(duckdb.data_chunk_get_vector(raw, i), kind!, values, held);
    });
    appender.appendDataChunk(chunk);
    for (const column of columns) column.values = [];
    held = 0;
  };

  return {
    add: async (record, inFile, atLine) => {
      file.values[held] = inFile;
      line.values[held] = atLine;
      for (const key in record) {
        const column = byKey.has(key) ? byKey.get(key) : getColumn(key);
        if (column !== undefined) column.values[held] = record[key];
      }
      held++;
      rows++;
      if (held === VECTOR_ROWS) await flush();
    },
    finish: async () => {
      await flush();
      appender?.closeSync();
      appender = undefined;
      for (const column of columns) if (column.kind === undefined) await widen(column, "VARCHAR");
    },
    get rows() {
      return rows;
    },
    leftOut,
    tooMany,
  };
}

function kindOfAll(before: ColumnKind | undefined, values: readonly unknown[]): ColumnKind | undefined {
  let kind = before;
  for (const value of values) {
    if (kind === "VARCHAR") break;
    if (value === null || value === undefined) continue;
    const own = chooseColumnKind(value);
    if (kind === undefined || kind === own) kind = own;
    else if ((kind === "DOUBLE" || kind === "BIGINT") && (own === "DOUBLE" || own === "BIGINT"))
      kind = "DOUBLE";
    else kind = "VARCHAR";
  }
  return kind;
}

function chooseColumnKind(value: unknown): ColumnKind {
  if (typeof value === "boolean") return "BOOLEAN";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "BIGINT" : "DOUBLE";
  return "VARCHAR";
}

/** Writes a column's values; what is missing is null. */
function fill(vector: Vector, kind: ColumnKind, values: readonly unknown[], rows: number): void {
  const bits = new Uint8Array(8 * Math.ceil(rows / 64)).fill(0xff);
  let missing = false;
  const isThere = (row: number): boolean => {
    if (values[row] !== null && values[row] !== undefined) return true;
    bits[row >> 3]! &= ~(1 << (row & 7));
    missing = true;
    return false;
  };
  if (kind === "VARCHAR") {
    for (let row = 0; row < rows; row++) {
      if (!isThere(row)) continue;
      const value = values[row];
      const text = typeof value === "string" ? value : JSON.stringify(value);
      // As bytes, so that a zero byte does not end it.
      duckdb.vector_assign_string_element_len(vector, row, Buffer.from(text));
    }
  } else {
    const stored = new STORED[kind](rows);
    const write = kind === "BIGINT" ? BigInt : Number;
    for (let row = 0; row < rows; row++) if (isThere(row)) stored[row] = write(values[row] as number);
    duckdb.copy_data_to_vector(vector, 0, stored.buffer as ArrayBuffer, 0, stored.byteLength);
  }
  if (!missing) return;
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, bits.buffer, 0, bits.byteLength);
}

const STORED = { BOOLEAN: Uint8Array, BIGINT: BigInt64Array, DOUBLE: Float64Array } as const;
