import { StatementType } from "@duckdb/node-api";
import { LimitError, type Lines, type LogratioError, UsageError } from "../../core/base/index.ts";
import { type Database, isOutOfMemory } from "./database.ts";

/**
 * Checks that the text is a single read-only statement that fits the existing tables.
 *
 * @param hint what the user can write instead, shown with every error
 * @throws UsageError
 */
export async function checkQuery(database: Database, sql: string, what: string, hint: Lines): Promise<void> {
  if (sql.trim() === "") throw new UsageError(`${what} is empty`, { hint });
  let types: readonly [StatementType, number][];
  try {
    const statements = await database.connection.extractStatements(sql);
    const prepared = [];
    for (let i = 0; i < statements.count; i++) prepared.push(await statements.prepare(i));
    types = prepared.map((statement) => [statement.statementType, statement.parameterCount]);
    for (const statement of prepared) statement.destroySync();
  } catch (cause) {
    throw queryError(cause, what, hint);
  }
  if (types.length !== 1)
    throw new UsageError(`${what} holds ${types.length} statements; one is run`, { hint });
  const [[type, parameters]] = types as [[StatementType, number]];
  // EXPLAIN is not allowed: EXPLAIN ANALYZE runs whatever it explains.
  if (type !== StatementType.SELECT)
    throw new UsageError(
      `${what} is not a query but ${StatementType[type]}; only SELECT, FROM, WITH and DESCRIBE are run`,
      { hint },
    );
  if (parameters > 0)
    throw new UsageError(`${what} has a placeholder (? or $), for which there is no value`, { hint });
}

/** DuckDB's error about what the user wrote, on one line. */
export function queryError(cause: unknown, what: string, hint: Lines): LogratioError {
  if (isOutOfMemory(cause)) return memoryError(cause);
  const text = cause instanceof Error ? cause.message : String(cause);
  const [first = ""] = text.split("\n");
  const reason = first.replace(/^(?:Failed to extract statements: )?[A-Za-z ]+ Error: /, "").trim();
  const candidates = /Candidate bindings: (.*)/.exec(text)?.[1];
  const told = candidates === undefined || reason.includes(candidates) ? "" : `; there is ${candidates}`;
  return new UsageError(`${what} cannot be used: ${reason}${told}`, { hint, cause });
}

/** The error for a table that does not fit even with spilling to disk. */
export function memoryError(cause: unknown): LimitError {
  const [first = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
  return new LimitError(
    `the tables need more memory than their limit: ${first.replace(/^[A-Za-z ]+ Error: /, "")}`,
    {
      hint: "raise it with --memory, or name fewer files",
      cause,
    },
  );
}

/** @param limit milliseconds */
export function timeError(limit: number, cause: unknown): LimitError {
  return new LimitError(`the query was stopped: it took longer than ${limit / 1000} s`, {
    likely: "a join without a condition, or a recursive query that does not end",
    hint: "add a WHERE, a LIMIT inside the query or the join's condition, or give it more time: --timeout 3600 (0: no limit)",
    cause,
  });
}
