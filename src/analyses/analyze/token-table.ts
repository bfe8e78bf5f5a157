/**
 * The table behind every question: one row per record, known fields with their own types, missing ones null.
 *
 * @module
 */
import { UsageError } from "../../core/base/index.ts";
import type { FindingLog } from "../../core/schema/index.ts";
import { type Database, sqlName } from "./database.ts";
import { ADDED_COLUMNS, FIELDS, LARGEST_SHARE, SHARES } from "./fields.ts";
import { checkQuery, queryError } from "./query.ts";
import { createRowWriter } from "./row-writer.ts";
import { isDigitToken, isPlaceholder, unquotePython } from "./unquote.ts";

export interface TokenTable {
  /** Fields that occur in no record. */
  readonly missing: ReadonlySet<string>;
  /** Number of records before the filter. */
  readonly recordsRead: number;
}

/**
 * Turns `log` (which it drops) into `tokens`: the records that meet `where`, numbered in the order of the files as
 * `log_row`.
 *
 * @param unread columns that the files have but `log` lacks, for messages
 * @throws UsageError if the expression cannot be used
 */
export async function makeTokenTable(
  database: Database,
  where: string | undefined,
  unread: Iterable<string>,
  findings: FindingLog,
): Promise<TokenTable> {
  const columns = (
    await database.rows<{ name: string }>(
      "SELECT column_name AS name FROM duckdb_columns() WHERE table_name = 'log' ORDER BY column_index",
    )
  ).map(({ name }) => name);
  const there = new Map(columns.map((name) => [name.toLowerCase(), name]));
  const missing = new Set(Object.keys(FIELDS).filter((field) => !there.has(field)));
  // If a log already has columns with these names, they get a number.
  const added = new Set<string>(ADDED_COLUMNS);
  const others = columns.filter((name) => !Object.hasOwn(FIELDS, name.toLowerCase()));
  await reportMistyped(database, there, findings);
  await makeWords(database, there.get("token_text"));

  const fields = Object.entries(FIELDS).map(([field, kind]) => {
    const name = there.get(field);
    const value = name === undefined ? `CAST(NULL AS ${kind})` : `TRY_CAST(log.${sqlName(name)} AS ${kind})`;
    const known = SHARES.has(field) ? `CASE WHEN ${isShare(value)} THEN ${value} END` : value;
    return `${known} AS ${sqlName(field)}`;
  });
  const text = there.get("token_text");
  const words =
    text === undefined ? "" : `LEFT JOIN words ON words.token_text = CAST(log.${sqlName(text)} AS VARCHAR)`;
  await database.run(`CREATE VIEW every AS SELECT log.rowid AS log_row, ${[
    ...others.map(
      (name) => `log.${sqlName(name)}${added.has(name.toLowerCase()) ? ` AS ${sqlName(`${name}_2`)}` : ""}`,
    ),
    ...fields,
  ].join(", ")},
    ${text === undefined ? "CAST(NULL AS VARCHAR) AS text, CAST(NULL AS BOOLEAN) AS is_digit" : "words.text, words.is_digit"}
    FROM log ${words}`);
  const { n: recordsRead } = await database.row<{ n: number }>("SELECT count(*) AS n FROM log");
  await filter(database, where, [...Object.keys(FIELDS), ...ADDED_COLUMNS, ...others, ...unread]);
  await database.run("DROP VIEW every");
  await database.run("DROP TABLE log");
  return { missing, recordsRead };
}

async function filter(
  database: Database,
  where: string | undefined,
  columns: readonly string[],
): Promise<void> {
  if (where === undefined) return database.run("CREATE TABLE tokens AS FROM every");
  const hint = `Columns: ${[...new Set(columns)].join(", ")}. Text stands in single quotes: "is_correct and prob_divergence > 0.9 and flip_type = 'large_disagreement'".`;
  const what = `the expression "${where}"`;
  if (where.trim() === "") throw new UsageError("--where is given an empty expression", { hint });
  // On a line of its own, so that a comment in it ends there.
  const query = `SELECT * FROM every WHERE (\n${where}\n)`;
  await checkQuery(database, query, what, hint);
  try {
    await database.run(`CREATE TABLE tokens AS ${query}`);
  } catch (cause) {
    throw queryError(cause, what, hint);
  }
}

/** Also false for NaN, which DuckDB orders above every number. */
const isShare = (value: string): string => `${value} BETWEEN 0 AND ${LARGEST_SHARE}`;

function describeKind(field: string, kind: string): string {
  if (SHARES.has(field)) return "a number from 0 to 1";
  return kind === "BOOLEAN" ? "true or false" : "a number";
}

/** Treats a value outside its field's type or range as missing, and reports that as a finding. */
async function reportMistyped(
  database: Database,
  there: ReadonlyMap<string, string>,
  findings: FindingLog,
): Promise<void> {
  // Stryker disable next-line ArrowFunction,ConditionalExpression,StringLiteral,MethodExpression: saves queries alone, as every value can be text
  const typed = Object.entries(FIELDS).filter(([, kind]) => kind !== "VARCHAR");
  for (const [field, kind] of typed) {
    const name = there.get(field);
    if (name === undefined) continue;
    const value = `TRY_CAST(${sqlName(name)} AS ${kind})`;
    const isRight = SHARES.has(field) ? isShare(value) : `${value} IS NOT NULL`;
    const wrong = `${sqlName(name)} IS NOT NULL AND coalesce(NOT (${isRight}), true)`;
    const found = await database.row<{ n: number; file: string | null; line: number | null }>(
      `SELECT count(*) AS n, arg_min(log_file, rowid) AS file, arg_min(log_line, rowid) AS line FROM log WHERE ${wrong}`,
    );
    if (found.n === 0) continue;
    findings.add({
      code: "bad-row",
      severity: "warning",
      subject: field,
      count: found.n,
      at: { file: found.file!, line: found.line! },
      likely: "the log was written by another program, or changed by hand",
      describe: (count) =>
        `${field} is not ${describeKind(field, kind)} in ${count} ${count === 1 ? "record" : "records"}, and counts as missing there`,
    });
  }
}

/** Unquotes every distinct token text once: there are no more of them than entries in the vocabulary. */
async function makeWords(database: Database, column: string | undefined): Promise<void> {
  if (column === undefined) return;
  const words = await createRowWriter(database, { table: "words" });
  const texts = await database.rows<{ text: string }>(
    `SELECT DISTINCT CAST(${sqlName(column)} AS VARCHAR) AS text FROM log WHERE ${sqlName(column)} IS NOT NULL`,
  );
  for (const { text } of texts)
    if (!isPlaceholder(text))
      await words.add({ token_text: text, text: unquotePython(text), is_digit: isDigitToken(text) }, "", 0);
  await words.finish();
  // Keeps the columns when no token is a word.
  if (words.rows === 0)
    await database.run("CREATE OR REPLACE TABLE words (token_text VARCHAR, text VARCHAR, is_digit BOOLEAN)");
}
