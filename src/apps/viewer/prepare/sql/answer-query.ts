/**
 * A query over Parquet files, answered as the page shows it.
 *
 * @module
 */
import { type QueryResult, queryFiles } from "../../../../analyses/analyze/index.ts";
import type { SqlAnswer } from "../../../../results/sql.ts";
import { MEMORY_LIMIT, MOST_ROWS, SPILL_LIMIT, TIME_LIMIT_SECONDS } from "./limits.ts";

/** Limits for one value, and for all values sent. */
const MOST_VALUE_CHARACTERS = 10_000;
const MOST_CHARACTERS = 2 ** 23;

export interface Query {
  readonly sql: string;
  /** Each is a table under its name. */
  readonly files: readonly string[];
}

/** @throws UsageError where DuckDB refuses it, LimitError where it takes too long or too much memory */
export async function answerQuery({ sql, files }: Query, signal?: AbortSignal): Promise<SqlAnswer> {
  const result = await queryFiles(sql, files, {
    memoryLimit: MEMORY_LIMIT,
    spillLimit: SPILL_LIMIT,
    timeLimit: 1000 * TIME_LIMIT_SECONDS,
    rowLimit: MOST_ROWS,
    signal,
  });
  return cutAnswer(result);
}

/** Values as the page shows them, and no more of them than it can take. */
function cutAnswer({ columns, rows, more }: QueryResult): SqlAnswer {
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

/** The shortest number that is the same in single precision: 0.1, not 0.10000000149011612. */
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
