/**
 * Writes objects into a DuckDB table whose columns are discovered along the way.
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
  /** Adds a row; values in `place` override those of the record. */
  add(record: LogRecord, file: string, line: number): Promise<void>;
  /** Writes the remaining rows, and adds columns for keys that never had a value. */
  finish(): Promise<void>;
  readonly rows: number;
  /** Keys that were seen and left out by choice. */
  readonly leftOut: ReadonlySet<string>;
  /** Keys beyond the limit on columns. */
  readonly tooMany: ReadonlySet<string>;
}

export interface RowWriterOptions {
  readonly table: string;
  /** Which keys become columns; default all. */
  readonly keep?: (key: string) => boolean;
}

const VECTOR_ROWS = 2048;
const MOST_COLUMNS = 1000;
const TYPES: Readonly<Record<ColumnKind, DuckDBType>> = { BOOLEAN, BIGINT, DOUBLE, VARCHAR };

interface Column {
  readonly name: string;
  /** Undefined until the first non-null value. */
  kind: ColumnKind | undefined;
  /** Values of the held rows; shorter if the last rows lack the key. */
  values: unknown[];
}

/**
 * Creates `options.table` and fills it. A key's column has booleans, integers or floating-point numbers as long as its
 * values do, and text from the first value that does not; arrays and objects become JSON text. Column names are unique
 * regardless of case, because SQL ignores it.
 */
export async function createRowWriter(database: Database, options: RowWriterOptions): Promise<RowWriter> {
  await database.run(`CREATE TABLE ${sqlName(options.table)} (log_file VARCHAR, log_line BIGINT)`);
  return new TableWriter(database, options);
}

/** Holds rows by column until a vector is full; adds columns and widens types when values require it. */
class TableWriter implements RowWriter {
  readonly leftOut = new Set<string>();
  readonly tooMany = new Set<string>();
  readonly #database: Database;
  readonly #table: string;
  readonly #keep: (key: string) => boolean;
  readonly #columns: Column[] = [];
  readonly #byKey = new Map<string, Column | undefined>();
  readonly #names = new Set<string>();
  readonly #file = this.#addColumn("log_file", "VARCHAR");
  readonly #line = this.#addColumn("log_line", "BIGINT");
  /** In the table's order: that of each key's first value, not of its first occurrence. */
  readonly #inTable: Column[] = [this.#file, this.#line];
  #appender: DuckDBAppender | undefined;
  #held = 0;
  #rows = 0;

  constructor(database: Database, { table, keep = () => true }: RowWriterOptions) {
    this.#database = database;
    this.#table = table;
    this.#keep = keep;
  }

  get rows(): number {
    return this.#rows;
  }

  async add(record: Readonly<Record<string, unknown>>, file: string, line: number): Promise<void> {
    this.#file.values[this.#held] = file;
    this.#line.values[this.#held] = line;
    for (const key in record) {
      const column = this.#byKey.has(key) ? this.#byKey.get(key) : this.#openColumn(key);
      if (column !== undefined) column.values[this.#held] = record[key];
    }
    this.#held++;
    this.#rows++;
    if (this.#held === VECTOR_ROWS) await this.#flush();
  }

  async finish(): Promise<void> {
    await this.#flush();
    this.#endAppending();
    for (const column of this.#columns) if (column.kind === undefined) await this.#widen(column, "VARCHAR");
  }

  #addColumn(key: string, kind?: ColumnKind): Column {
    // DuckDB accepts neither an empty name nor a zero byte, which ends its strings.
    const base = key.replaceAll("\0", "\ufffd") || "unnamed";
    let name = base;
    for (let i = 2; this.#names.has(name.toLowerCase()); i++) name = `${base}_${i}`;
    this.#names.add(name.toLowerCase());
    const column: Column = { name, kind, values: [] };
    this.#columns.push(column);
    return column;
  }

  /** Opens a column for a new key; undefined if the key gets none. */
  #openColumn(key: string): Column | undefined {
    let column: Column | undefined;
    if (!this.#keep(key)) this.leftOut.add(key);
    else if (this.#columns.length >= MOST_COLUMNS) this.tooMany.add(key);
    else column = this.#addColumn(key);
    this.#byKey.set(key, column);
    return column;
  }

  async #flush(): Promise<void> {
    if (this.#held === 0) return;
    await this.#widenAll();
    this.#appender ??= await this.#database.connection.createAppender(this.#table);
    const chunk = DuckDBDataChunk.create(
      this.#inTable.map(({ kind }) => TYPES[kind!]),
      this.#held,
    );
    const { chunk: raw } = chunk as unknown as { chunk: Parameters<typeof duckdb.data_chunk_get_vector>[0] };
    this.#inTable.forEach(({ kind, values }, i) => {
      fill(duckdb.data_chunk_get_vector(raw, i), kind!, values, this.#held);
    });
    this.#appender.appendDataChunk(chunk);
    for (const column of this.#columns) column.values = [];
    this.#held = 0;
  }

  /** Gives the table the columns and types that the held rows need. */
  async #widenAll(): Promise<void> {
    for (const column of this.#columns) {
      const kind = kindOfAll(column.kind, column.values);
      if (kind === undefined || kind === column.kind) continue;
      if (column.kind === undefined) this.#inTable.push(column);
      await this.#widen(column, kind);
    }
  }

  async #widen(column: Column, kind: ColumnKind): Promise<void> {
    // A table cannot be altered while it is being appended to.
    this.#endAppending();
    const [table, name] = [sqlName(this.#table), sqlName(column.name)];
    await this.#database.run(
      column.kind === undefined
        ? `ALTER TABLE ${table} ADD COLUMN ${name} ${kind}`
        : `ALTER TABLE ${table} ALTER COLUMN ${name} TYPE ${kind}`,
    );
    column.kind = kind;
  }

  #endAppending(): void {
    this.#appender?.closeSync();
    this.#appender = undefined;
  }
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

/** Writes a column's values; missing ones become null. */
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
