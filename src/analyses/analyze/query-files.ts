/**
 * SQL over files: each file is a table, and nothing else can be reached.
 *
 * @module
 */
import { basename, resolve } from "node:path";
import { type DuckDBValueConverter, type Json, JsonDuckDBValueConverter } from "@duckdb/node-api";
import { FormatError, isLogratioError, type Lines, SchemaError } from "../../core/base/index.ts";
import { type Finding, FindingLog } from "../../core/schema/index.ts";
import { reportWaiting, walk } from "../../ingest/index.ts";
import { openFile, openPlain, type PinnedFile, pinFile } from "../../input/io/index.ts";
import { refuseRemote } from "../../input/remote/index.ts";
import { type Database, isOutOfMemory, openDatabase, sqlName, sqlText } from "./database.ts";
import { loadJsonl } from "./load-jsonl.ts";
import { checkQuery, memoryError, queryError, timeError } from "./query.ts";
import { createRowWriter } from "./row-writer.ts";

export interface QueryOptions {
  /** Memory before tables spill to temporary files, in bytes; default 1 GiB. */
  readonly memoryLimit?: number;
  /** Space for temporary files, in bytes; default nearly all that the disk has. */
  readonly spillLimit?: number;
  /** Time for checking and running the query before it is stopped, in milliseconds; default unlimited. */
  readonly timeLimit?: number | undefined;
  /** Largest number of rows in the result; default unlimited. */
  readonly rowLimit?: number | undefined;
  /** Stops the query, which then fails with DuckDB's error. */
  readonly signal?: AbortSignal | undefined;
  /** Input for the path `-`, read as JSONL. */
  readonly stdin?: AsyncIterable<Uint8Array>;
}

export interface QueryResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Integers are numbers if a double can represent them, else text; lists and structures are as in JSON. */
  readonly rows: readonly (readonly (Json | null)[])[];
  /** Whether there are rows beyond `rowLimit`. */
  readonly more: boolean;
  /** The table made of each file. */
  readonly tables: readonly { readonly name: string; readonly file: string }[];
  readonly findings: readonly Finding[];
}

/** Milliseconds between two checks of whether a query must stop. */
const STOP_MS = 50;

type Kind = "jsonl" | "parquet" | "csv";

interface Table {
  readonly name: string;
  readonly file: string;
  readonly kind: Kind;
  /** For DuckDB, which opens the file itself. */
  readonly pinned: PinnedFile;
}

/**
 * Runs one query over JSONL, Parquet and CSV files. Each file is a table named after the file without its ending, with
 * odd characters replaced by `_`; the first is also `t`. Torn JSONL lines are left out and reported in `findings`.
 *
 * @throws UsageError if the query does not parse, names something that does not exist, or does more than query
 * @throws NotFoundError if a file does not exist
 * @throws LimitError if the memory limit is too small even with spilling, or the time limit is reached
 */
export async function queryFiles(
  sql: string,
  files: readonly string[],
  options: QueryOptions = {},
): Promise<QueryResult> {
  const findings = new FindingLog();
  for (const file of files) refuseRemote(file, "a file for SQL");
  const tables = await nameTables(files);
  try {
    // Parts of a served run's record lack the batches that wait in its log.
    await reportWaiting(await walk(files), findings, false);
    return await queryTables(sql, tables, findings, options);
  } finally {
    for (const { pinned } of tables) await pinned.release();
  }
}

async function queryTables(
  sql: string,
  tables: readonly Table[],
  findings: FindingLog,
  options: QueryOptions,
): Promise<QueryResult> {
  const { memoryLimit, stdin } = options;
  const database = await openDatabase({
    // Both as a pattern and as the path that the pattern matches.
    readable: tables.flatMap(({ kind, pinned }) =>
      kind === "jsonl" ? [] : [pinned.path, literalPath(pinned.path)],
    ),
    ...(memoryLimit === undefined ? {} : { memoryLimit }),
    spillLimit: options.spillLimit,
  });
  try {
    for (const table of tables) await makeTable(database, table, findings, stdin);
    // The first table is also `t`, unless a file has that name; SQL does not distinguish T from t.
    const alias = tables.some(({ name }) => name.toLowerCase() === "t") ? undefined : tables[0];
    if (alias !== undefined) await database.run(`CREATE VIEW t AS FROM ${sqlName(alias.name)}`);
    const hint = await describeTables(database, tables, alias);
    return {
      ...(await runQuery(database, sql, options, hint)),
      tables: tables.map(({ name, file }) => ({ name, file })),
      findings: findings.list(),
    };
  } catch (error) {
    throw isOutOfMemory(error) && !isLogratioError(error) ? memoryError(error) : error;
  } finally {
    await database.close();
  }
}

async function runQuery(
  database: Database,
  sql: string,
  { timeLimit = Number.POSITIVE_INFINITY, rowLimit = Number.POSITIVE_INFINITY, signal }: QueryOptions,
  hint: Lines,
): Promise<Pick<QueryResult, "columns" | "rows" | "more">> {
  const { connection } = database;
  const end = performance.now() + timeLimit;
  const isOver = (): boolean => performance.now() >= end;
  // Repeated, because DuckDB forgets an interrupt that arrives between two of its steps.
  const timer = setInterval(() => {
    if (isOver() || signal?.aborted) connection.interrupt();
  }, STOP_MS);
  try {
    // Counts towards the time limit, because DuckDB computes constants while it plans.
    await checkQuery(database, sql, "the query", hint);
    signal?.throwIfAborted();
    if (isOver()) throw timeError(timeLimit, undefined);
    // Decode one row group at a time, until there are enough rows.
    const result = Number.isFinite(rowLimit)
      ? await connection.streamAndReadUntil(sql, rowLimit + 1)
      : await connection.runAndReadAll(sql);
    const types = result.columnTypes();
    const rows = result.convertRows(toJsonValue);
    return {
      columns: result.columnNames().map((name, i) => ({ name, type: types[i]?.toString() ?? "" })),
      rows: rows.slice(0, rowLimit),
      more: rows.length > rowLimit,
    };
  } catch (cause) {
    if (isOver()) throw timeError(timeLimit, cause);
    throw isLogratioError(cause) ? cause : queryError(cause, "the query", hint);
  } finally {
    clearInterval(timer);
  }
}

const toJsonValue: DuckDBValueConverter<Json> = (value, type, converter) => {
  if (typeof value !== "bigint") return JsonDuckDBValueConverter(value, type, converter);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
};

/** For files that we read ourselves. */
const NOT_PINNED: PinnedFile = { path: "", release: async () => {} };

async function nameTables(files: readonly string[]): Promise<Table[]> {
  const names = new Set<string>();
  const tables: Table[] = [];
  for (const file of new Set(files)) {
    const stem =
      file === "-"
        ? "stdin"
        : basename(file).replace(/(\.(jsonl|ndjson|json|parquet|csv|tsv|txt|gz|zst|\d+))+$/i, "");
    const plain = stem.replace(/[^\p{L}\p{N}_]+/gu, "_").replace(/^(?=\p{N})/u, "_") || "file";
    let name = plain;
    for (let i = 2; names.has(name.toLowerCase()); i++) name = `${plain}_${i}`;
    names.add(name.toLowerCase());
    const kind = file === "-" ? "jsonl" : await detectKind(file);
    tables.push({ name, file, kind, pinned: kind === "jsonl" ? NOT_PINNED : await pinFile(file) });
  }
  return tables;
}

/** Judged by content where possible: a record starts with a brace, Parquet with its own magic number. */
async function detectKind(file: string): Promise<Kind> {
  const source = await openFile(file);
  try {
    const plain = await openPlain(source, 4096);
    const head = Buffer.from(plain.head)
      .toString("utf8")
      .replace(/^\ufeff/, "")
      .trimStart();
    await plain.close();
    if (head.startsWith("PAR1")) return "parquet";
    return head.startsWith("{") || /\.(jsonl|ndjson)(\.|$)/i.test(file) ? "jsonl" : "csv";
  } finally {
    await source.close();
  }
}

async function makeTable(
  database: Database,
  { name, file, kind, pinned }: Table,
  findings: FindingLog,
  stdin: AsyncIterable<Uint8Array> | undefined,
): Promise<void> {
  if (kind === "jsonl") {
    const rows = `rows of ${name}`;
    const writer = await createRowWriter(database, { table: rows });
    const loaded = await loadJsonl(file, writer, { findings, stdin });
    await writer.finish();
    if (loaded.records === 0) {
      throw new SchemaError(`${file} holds no JSON objects, one a line`, {
        at: { file },
        hint: "JSONL, Parquet and CSV are read; a JSON array becomes JSONL with: jq -c '.[]'",
      });
    }
    await database.run(
      `CREATE VIEW ${sqlName(name)} AS SELECT * EXCLUDE (log_file, log_line) FROM ${sqlName(rows)}`,
    );
    return;
  }
  const path = sqlText(literalPath(pinned.path));
  // Judged by the original name, because the name of a pinned open file has no ending.
  const compression = /\.gz$/i.test(file) ? "gzip" : /\.zst$/i.test(file) ? "zstd" : "none";
  const source =
    kind === "parquet"
      ? `read_parquet(${path})`
      : `read_csv(${path}${pinned.path === file ? "" : `, compression = '${compression}'`})`;
  try {
    await database.run(`CREATE VIEW ${sqlName(name)} AS FROM ${source}`);
  } catch (cause) {
    if (isLogratioError(cause)) throw cause;
    const [reason = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    throw new FormatError(`${kind} cannot be read: ${reason.replace(/^[A-Za-z ]+ Error: /, "")}`, {
      at: { file },
      cause,
    });
  }
}

/** Escapes a path for DuckDB, which reads `*`, `?` and `[` in it as a pattern. */
function literalPath(file: string): string {
  return resolve(file).replace(/[*?[]/g, (character) => `[${character}]`);
}

async function describeTables(
  database: Database,
  tables: readonly Table[],
  alias: Table | undefined,
): Promise<readonly string[]> {
  const lines: string[] = ["Tables:"];
  for (const table of tables) {
    const { name, file } = table;
    const columns = await database.rows<{ name: string }>(
      "SELECT column_name AS name FROM duckdb_columns() WHERE table_name = $1 ORDER BY column_index",
      [name],
    );
    const short = table === alias ? `${name} (also t)` : name;
    lines.push(`${short} is ${file}: ${columns.map((column) => column.name).join(", ")}`);
  }
  return lines;
}
