/**
 * SQL over a run: each table is a Parquet file in a temporary directory, written when first needed.
 *
 * @module
 */
import { join } from "node:path";
import { formatHandle } from "../../../../core/schema/index.ts";
import { createScratch, type Scratch } from "../../../../input/io/index.ts";
import { type ColumnBatch, writeParquet } from "../../../../input/readers/index.ts";
import type { SqlAnswer } from "../../../../results/sql.ts";
import type { RunInfo } from "../../../../results/view.ts";
import type { WireSequence } from "../../../../results/wire/sequence.ts";
import type { SequenceTable } from "../../../../results/wire/table.ts";
import { keepLast } from "../cache/keep-last.ts";
import { askApart } from "./ask-apart.ts";
import {
  describeTables,
  SEQUENCE_COLUMNS,
  type SqlColumn,
  type SqlTableName,
  TEXT_COLUMNS,
  TOKEN_COLUMNS,
} from "./tables.ts";

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
  readonly #keepFile = keepLast(3, (name: SqlTableName) => this.#write(name));

  constructor(source: SqlSource) {
    this.#source = source;
  }

  /**
   * The first rows of a query's result. One query runs at a time: each may take half a gigabyte.
   *
   * @throws UsageError where DuckDB refuses it, LimitError where it takes too long or too much memory
   */
  ask(sql: string, signal?: AbortSignal): Promise<SqlAnswer> {
    const work = (): Promise<SqlAnswer> => this.#answer(sql, signal);
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => {});
    return next;
  }

  /** Also stops a running query. */
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
      // The name may be a column's, too: then a table is written but not read.
      if (name === "sequences" || new RegExp(`\\b${name}\\b`, "i").test(sql))
        files.push(await this.#keepFile(name as SqlTableName));
    }
    return askApart({ sql, files }, AbortSignal.any([...(signal ? [signal] : []), this.#closing.signal]));
  }

  async #write(name: SqlTableName): Promise<string> {
    this.#scratch ??= createScratch();
    const file = join((await this.#scratch).path, `${name}.parquet`);
    if (name === "sequences") await this.#writeTable(file);
    else if (name === "tokens") await writeRows(file, TOKEN_COLUMNS, this.#sequences(), countTokens);
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

const countTokens = ({ mask }: WireSequence): number => mask.length;

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
