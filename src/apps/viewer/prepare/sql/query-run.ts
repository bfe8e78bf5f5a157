/**
 * SQL over a run: each table is a Parquet file in a temporary directory, written when a query first names it.
 *
 * @module
 */
import { join } from "node:path";
import { formatHandle } from "../../../../core/schema/index.ts";
import { createScratch, type Scratch } from "../../../../input/io/index.ts";
import { type ColumnBatch, writeParquet } from "../../../../input/readers/index.ts";
import type { RunInfo, SqlAnswer } from "../../../../results/index.ts";
import type { SequenceTable, WireSequence } from "../../../../results/wire/index.ts";
import { keepLast } from "../cache/keep-last.ts";
import {
  describeTables,
  SEQUENCE_COLUMNS,
  type SqlColumn,
  type SqlTableName,
  TEXT_COLUMNS,
  TOKEN_COLUMNS,
} from "./tables.ts";

/** Rows that are sent; a query may read as many as it likes. */
export const MOST_ROWS = 1000;
export const TIME_LIMIT_SECONDS = 30;
/** Bytes of memory before DuckDB writes to temporary files. */
export const MEMORY_LIMIT = 2 ** 29;
const SPILL_LIMIT = 2 ** 31;
/** Of one value, and of all that are sent. */
const MOST_VALUE_CHARACTERS = 10_000;
const MOST_CHARACTERS = 2 ** 23;

export interface SqlSource {
  readonly info: RunInfo;
  table(): Promise<SequenceTable>;
  /** In the order of the table. */
  sequences(): AsyncIterable<WireSequence>;
}

export class RunQueries {
  readonly #source: SqlSource;
  readonly #closing = new AbortController();
  #scratch: Promise<Scratch> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  readonly #fileOf = keepLast(3, (name: SqlTableName) => this.#write(name));

  constructor(source: SqlSource) {
    this.#source = source;
  }

  /**
   * The first rows of what a query gives. One query at a time: each may take half a gigabyte.
   *
   * @throws UsageError where DuckDB cannot use it, LimitError where it takes too long or too much memory
   */
  ask(sql: string, signal?: AbortSignal): Promise<SqlAnswer> {
    const work = (): Promise<SqlAnswer> => this.#answer(sql, signal);
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => {});
    return next;
  }

  /** Also ends what is going on. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#last;
    const scratch = await this.#scratch?.catch(() => undefined);
    this.#scratch = undefined;
    await scratch?.remove();
  }

  async #answer(sql: string, signal: AbortSignal | undefined): Promise<SqlAnswer> {
    signal?.throwIfAborted();
    const files: string[] = [];
    for (const { name } of describeTables(this.#source.info)) {
      // Its name may be a column's too: then a table is written that is not read.
      if (name === "sequences" || new RegExp(`\\b${name}\\b`, "i").test(sql))
        files.push(await this.#fileOf(name as SqlTableName));
    }
    // DuckDB is loaded by whoever asks for it.
    const { queryFiles } = await import("../../../../analyses/analyze/index.ts");
    const result = await queryFiles(sql, files, {
      memoryLimit: MEMORY_LIMIT,
      spillLimit: SPILL_LIMIT,
      timeLimit: 1000 * TIME_LIMIT_SECONDS,
      rowLimit: MOST_ROWS,
      signal: AbortSignal.any([...(signal ? [signal] : []), this.#closing.signal]),
    });
    return cutAnswer(result);
  }

  async #write(name: SqlTableName): Promise<string> {
    this.#scratch ??= createScratch();
    const file = join((await this.#scratch).path, `${name}.parquet`);
    if (name === "sequences") await this.#writeTable(file);
    else if (name === "tokens") await writeRows(file, TOKEN_COLUMNS, this.#sequences(), tokensOf);
    else await writeRows(file, TEXT_COLUMNS, this.#sequences(), () => 1);
    return file;
  }

  async *#sequences(): AsyncGenerator<WireSequence> {
    for await (const sequence of this.#source.sequences()) {
      this.#closing.signal.throwIfAborted();
      yield sequence;
    }
  }

  async #writeTable(file: string): Promise<void> {
    const table = await this.#source.table();
    const { step, rank, row } = table.columns;
    const handles = Array.from(row, (sequence, at) =>
      formatHandle({ step: step[at]!, rank: rank[at]!, sequence }),
    );
    await writeRows(file, SEQUENCE_COLUMNS, once({ table, handles }), () => table.length);
  }
}

const tokensOf = ({ mask }: WireSequence): number => mask.length;

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

async function writeRows<Source>(
  file: string,
  columns: readonly SqlColumn<Source>[],
  sources: AsyncIterable<Source>,
  rowsOf: (source: Source) => number,
): Promise<void> {
  async function* batches(): AsyncGenerator<ColumnBatch> {
    for await (const source of sources)
      yield { length: rowsOf(source), columns: columns.map(({ values }) => values(source)) };
  }
  await writeParquet(
    file,
    columns.map(({ name, type }) => ({ name, type })),
    batches(),
    { compression: "snappy" },
  );
}

/** Values as the page shows them, and no more of them than it can take. */
function cutAnswer({
  columns,
  rows,
  more,
}: {
  readonly columns: SqlAnswer["columns"];
  readonly rows: readonly (readonly unknown[])[];
  readonly more: boolean;
}): SqlAnswer {
  let characters = 0;
  const sent: SqlAnswer["rows"][number][] = [];
  for (const row of rows) {
    const cells = row.map((value, at) =>
      columns[at]!.type === "FLOAT" ? shortFloat(value as number | null) : cutValue(value),
    );
    for (const cell of cells) characters += typeof cell === "string" ? cell.length : 8;
    if (characters > MOST_CHARACTERS) return { columns, rows: sent, more: true };
    sent.push(cells);
  }
  return { columns, rows: sent, more };
}

/** The shortest number that is the same one in single precision: 0.1, not 0.10000000149011612. */
function shortFloat(value: number | null): number | null {
  if (typeof value !== "number" || !Number.isFinite(value)) return value;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

function cutValue(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MOST_VALUE_CHARACTERS ? `${text.slice(0, MOST_VALUE_CHARACTERS)}…` : text;
}
