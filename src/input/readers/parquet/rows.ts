/**
 * Reads rows of a Parquet file with DuckDB.
 *
 * @module
 */
import type { DuckDBDataChunk, DuckDBResult } from "@duckdb/node-api";
import { EmptyInputError, LimitError, memoryLimit, UsageError } from "../../../core/base/index.ts";
import type { RowChunk, RowDocument } from "../../io/columns.ts";
import { type PinnedFile, pinFile } from "../../io/confinement.ts";
import { openFile } from "../../io/file-source.ts";
import {
  duckdbError,
  type Engine,
  type EngineOptions,
  literalPath,
  openEngine,
  quoteName,
} from "./engine.ts";
import { type Footer, type RowGroup, readFooter } from "./footer.ts";
import { type Cell, cells, vectorBytes } from "./vectors.ts";

export interface ParquetOptions extends EngineOptions {
  /** Decoded bytes per chunk of rows; default 64 MiB. A single row may take more. */
  readonly chunkBytes?: number;
  /** Limit on the bytes that DuckDB decodes at once, see {@link openParquet}; default the memory limit. */
  readonly maxVectorBytes?: number;
  /** Name in messages, if the path is a temporary copy; default the path. */
  readonly name?: string;
  /** Whether probably only the sample is needed. */
  readonly forSample?: boolean;
  /** Called when DuckDB has begun to decode the first rows, which it does without this thread's event loop. */
  readonly onDecoding?: () => void;
}

const DEFAULT_CHUNK_BYTES = 2 ** 26;
/** DuckDB decodes this many rows at a time, or a smaller row group. */
const VECTOR_ROWS = 2048;
const SAMPLE_ROWS = 8;
/**
 * A file up to this decoded size, which is at most one chunk, is decoded only once, when it is opened: DuckDB decodes
 * the rows around the sample anyway.
 */
const HELD_BYTES = DEFAULT_CHUNK_BYTES;

const TABLE = "read_parquet(?, hive_partitioning=false)";

interface Column {
  readonly type: string;
  /** Name in the file. */
  readonly name: string;
  /** Name in DuckDB, which renames columns whose names differ only in case. */
  readonly sql: string;
}

interface Table {
  readonly path: string;
  /** Name in messages. */
  readonly name: string;
}

/**
 * Opens a Parquet file. Lists of numbers arrive as typed arrays (int64 as Int32Array or, where a value does not fit,
 * Float64Array; a null as NaN, which makes a list of integers a Float64Array), lists of lists as arrays of those,
 * structs as objects, 64-bit integers above 2^53 as text, dates and times as text, decimals as numbers.
 *
 * Memory: DuckDB decodes 2048 rows at once, or one row group where that is smaller, so its memory depends on how the
 * file was written (small row groups are best for long sequences), not on the file's size.
 *
 * @throws NotFoundError if there is no such file
 * @throws FormatError if it is not a Parquet file, is cut off or damaged
 * @throws EmptyInputError if it has no rows
 * @throws LimitError if the rows that DuckDB decodes at once take more than `maxVectorBytes`
 */
export async function openParquet(path: string, options: ParquetOptions = {}): Promise<RowDocument> {
  const name = options.name ?? path;
  const pinned = await pinFile(path);
  try {
    return await openPinned({ path: pinned.path, name }, pinned, options);
  } catch (error) {
    await pinned.release();
    throw error;
  }
}

async function readWholeFooter({ path, name }: Table): Promise<Footer> {
  const source = await openFile(path);
  try {
    return await readFooter({ ...source, name });
  } finally {
    await source.close();
  }
}

async function openPinned(table: Table, pinned: PinnedFile, options: ParquetOptions): Promise<RowDocument> {
  const footer = await readWholeFooter(table);
  if (footer.rows === 0)
    throw new EmptyInputError("the parquet file has no rows", { at: { file: table.name } });

  const engine = await openEngine(options);
  const close = async (): Promise<void> => {
    engine.close();
    await pinned.release();
  };
  try {
    const columns = await columnNames(engine, table, footer);
    checkVectors(footer, columns, table.name, options);
    await checkTexts(engine, table, columns, options.maxVectorBytes ?? memoryLimit());
    const bytes = footer.rowGroups.reduce((sum, group) => sum + groupBytes(group, columns), 0);
    const isHeld = bytes <= HELD_BYTES && options.forSample !== true;
    const rest = isHeld ? "" : `LIMIT ${SAMPLE_ROWS}`;
    const first = await query(engine, table, columns, rest, options.onDecoding);
    const firstChunk = (await fetchChunk(first, table))!;
    const all = columns.map((column) => column.name);
    const sample = rowChunk(firstChunk, all, all, {
      start: 0,
      end: Math.min(SAMPLE_ROWS, firstChunk.rowCount),
      row: 0,
    });

    let used = false;
    async function* chunks(wish: Parameters<RowDocument["chunks"]>[0] = {}): AsyncGenerator<RowChunk> {
      if (used) throw new UsageError(`the rows of ${table.name} were requested twice; open the file again`);
      used = true;
      const wanted = columns.filter(({ name }) => wish.columns === undefined || wish.columns.includes(name));
      const names = wanted.map((column) => column.name);
      const budget = options.chunkBytes ?? DEFAULT_CHUNK_BYTES;
      yield* split(firstChunk, all, names, 0, budget);
      let row = firstChunk.rowCount;
      if (row >= footer.rows) return;
      for await (const chunk of fetchAll(await query(engine, table, wanted, rowsFrom(row, columns)), table)) {
        yield* split(chunk, names, names, row, budget);
        row += chunk.rowCount;
      }
    }

    return {
      kind: "rows",
      format: "parquet",
      file: table.name,
      sample: Array.from({ length: sample.length }, (_, i) => {
        return Object.fromEntries(all.map((name) => [name, sample.get(i, name)!]));
      }),
      metadata: footer.metadata,
      chunks,
      close,
    };
  } catch (error) {
    engine.close();
    throw error;
  }
}

async function columnNames(engine: Engine, table: Table, footer: Footer): Promise<readonly Column[]> {
  try {
    const described = await engine.connection.run(`DESCRIBE SELECT * FROM ${TABLE}`, [
      literalPath(table.path),
    ]);
    const sql = (await described.getRowsJson()).map(([name, type]) => [String(name), String(type)] as const);
    return sql.map(([name, type], i) => ({ name: footer.columns[i] ?? name, sql: name, type }));
  } catch (cause) {
    throw duckdbError(cause, table.name);
  }
}

/**
 * A dictionary holds a text once for any number of rows, so a file of 2 KB can have a megabyte in each row, which
 * neither the footer nor DuckDB's own limit shows. Lengths are queried first: DuckDB copies texts when it returns
 * rows, some chunks ahead, but not to measure them.
 *
 * @throws LimitError when the texts of the rows that are decoded at once exceed a quarter of `limit`
 */
async function checkTexts(
  engine: Engine,
  table: Table,
  columns: readonly Column[],
  limit: number,
): Promise<void> {
  const lengths = columns.flatMap(({ sql, type }) => {
    const name = quoteName(sql);
    if (type === "VARCHAR") return [`coalesce(strlen(${name}), 0)`];
    if (type === "BLOB") return [`coalesce(octet_length(${name}), 0)`];
    return type === "VARCHAR[]" ? [`coalesce(list_sum(list_transform(${name}, x -> strlen(x))), 0)`] : [];
  });
  if (lengths.length === 0) return;
  const most = limit / CHUNKS_ALIVE;
  const ask = async (what: string): Promise<number> => {
    try {
      const result = await engine.connection.run(`SELECT ${what}`, [literalPath(table.path)]);
      return Number((await result.getRows())[0]?.[0] ?? 0);
    } catch (cause) {
      throw duckdbError(cause, table.name);
    }
  };
  const perRow = lengths.join(" + ");
  const largest = await ask(`max(${perRow}) FROM ${TABLE}`);
  if (largest * VECTOR_ROWS <= most) return;
  const window = `file_row_number // ${VECTOR_ROWS}`;
  const atOnce = await ask(`max(s) FROM (SELECT sum(${perRow}) AS s FROM ${TABLE} GROUP BY ${window})`);
  if (atOnce <= most) return;
  throw new LimitError(
    `the texts of ${VECTOR_ROWS} rows take ${atOnce} bytes, and several times as many rows are decoded ahead; the limit is ${Math.floor(most)}`,
    {
      needed: atOnce,
      limit: Math.floor(most),
      at: { file: table.name },
      likely: "many rows refer to one long text, stored only once",
      hint: `leave the texts out of the file, or if they are valid and there is enough memory: --memory ${Math.ceil((atOnce * CHUNKS_ALIVE * 1.1) / 2 ** 20)} (MiB)`,
    },
  );
}

/** Chunks of rows alive at once: read ahead, in use, and not collected yet. */
const CHUNKS_ALIVE = 4;

/** Skips whole row groups, and pages where possible; not available if the file has a column of that name. */
function rowsFrom(row: number, columns: readonly Column[]): string {
  const taken = columns.some(({ sql }) => sql.toLowerCase() === "file_row_number");
  return taken ? `OFFSET ${row}` : `WHERE file_row_number >= ${row}`;
}

/** @param onDecoding called when DuckDB decodes the first rows, which it does before it returns a result */
async function query(
  engine: Engine,
  table: Table,
  columns: readonly Column[],
  rest: string,
  onDecoding?: () => void,
): Promise<DuckDBResult> {
  // Rows without columns must still be counted.
  const list = columns.length === 0 ? "NULL" : columns.map(({ sql }) => quoteName(sql)).join(", ");
  try {
    // The connection destroys it when it is closed.
    const statement = await engine.connection.prepare(`SELECT ${list} FROM ${TABLE} ${rest}`);
    statement.bind([literalPath(table.path)]);
    const result = statement.stream();
    onDecoding?.();
    return await result;
  } catch (cause) {
    throw duckdbError(cause, table.name);
  }
}

async function fetchChunk(result: DuckDBResult, table: Table): Promise<DuckDBDataChunk | undefined> {
  try {
    const chunk = await result.fetchChunk();
    return chunk === null || chunk.rowCount === 0 ? undefined : chunk;
  } catch (cause) {
    throw duckdbError(cause, table.name);
  }
}

/** DuckDB decodes the next chunk on its own thread while the current one is used. */
async function* fetchAll(result: DuckDBResult, table: Table): AsyncGenerator<DuckDBDataChunk> {
  const fetch = (): Promise<DuckDBDataChunk | undefined> => {
    const pending = fetchChunk(result, table);
    // The awaiting code sees the error; a reader that stops early must not leave it unhandled.
    pending.catch(() => {});
    return pending;
  };
  let pending = fetch();
  try {
    for (;;) {
      const chunk = await pending;
      if (chunk === undefined) return;
      pending = fetch();
      yield chunk;
    }
  } finally {
    await pending.catch(() => {});
  }
}

/** Splits the chunk's rows into runs of about `budget` bytes each. */
function* split(
  chunk: DuckDBDataChunk,
  selected: readonly string[],
  names: readonly string[],
  row: number,
  budget: number,
): Generator<RowChunk> {
  const { rowCount } = chunk;
  const bytes = selected.reduce((sum, _, i) => sum + vectorBytes(chunk.getColumnVector(i)), 1);
  const step = Math.max(1, Math.floor((rowCount * budget) / bytes));
  for (let start = 0; start < rowCount; start += step) {
    const run = { start, end: Math.min(start + step, rowCount), row: row + start };
    yield rowChunk(chunk, selected, names, run);
  }
}

interface Run {
  readonly start: number;
  readonly end: number;
  /** Row `start` in the file. */
  readonly row: number;
}

/** @param selected the chunk's columns; `names` those that the reader requested */
function rowChunk(
  chunk: DuckDBDataChunk,
  selected: readonly string[],
  names: readonly string[],
  run: Run,
): RowChunk {
  const made = new Map<string, Cell>();
  const cell = (name: string): Cell | undefined => {
    if (made.has(name) || !names.includes(name)) return made.get(name);
    const column = cells(chunk.getColumnVector(selected.indexOf(name)), run.start, run.end);
    made.set(name, column);
    return column;
  };
  return {
    length: run.end - run.start,
    firstRow: run.row,
    get: (i, name) => cell(name)?.(run.start + i),
    names: () => names,
  };
}

function groupBytes(group: RowGroup, columns: readonly Column[]): number {
  return columns.reduce((sum, { name }) => sum + (group.bytes.get(name) ?? 0), 0);
}

function checkVectors(
  footer: Footer,
  columns: readonly Column[],
  file: string,
  options: ParquetOptions,
): void {
  const limit = options.maxVectorBytes ?? memoryLimit();
  footer.rowGroups.forEach((group, i) => {
    const rows = Math.min(VECTOR_ROWS, group.rows);
    const bytes = Math.round((groupBytes(group, columns) * rows) / Math.max(1, group.rows));
    if (bytes <= limit) return;
    throw new LimitError(
      `${rows} rows of row group ${i} take ${bytes} bytes decoded; the limit is ${limit}`,
      {
        needed: bytes,
        limit,
        at: { file },
        likely: "the file was written with large row groups and holds long sequences",
        hint: "rewrite it with smaller row groups (pyarrow: row_group_size=64), or raise the limit if there is memory: --memory (MiB)",
      },
    );
  });
}
