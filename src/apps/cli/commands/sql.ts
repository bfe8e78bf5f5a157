import { type QueryResult, queryFiles } from "../../../analyses/analyze/index.ts";
import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { UsageError } from "../../../core/base/index.ts";
import { onInterrupt } from "../../../input/io/index.ts";
import { renderRows } from "../../../render/analyze/index.ts";
import { csvLine } from "../../../render/text/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { toJson } from "../json.ts";
import { tellFindings } from "../messages.ts";
import type { Terminal } from "../terminal.ts";

export interface SqlOptions {
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly timeout?: string;
}

/** Rows of the table on the screen; --json and --csv print all. */
const MOST_ROWS = 1000;
const SCHEMA_VERSION = 1;

/** Runs one query over files and prints its rows. */
export async function sql(
  query: string,
  files: readonly string[],
  { json, csv, timeout }: SqlOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (json && csv) throw new UsageError("--json and --csv cannot be combined", { hint: "choose one" });
  const options = { timeLimit: parseTimeLimit(timeout) };
  // Ends through an exit that removes what has spilled to disk.
  const endListening = onInterrupt(() => process.exit(EXIT.interrupted));
  const result = await queryFiles(query, files, options).finally(endListening);
  if (json) terminal.out(toJson({ schemaVersion: SCHEMA_VERSION, kind: "sql", ...result }));
  else if (csv) terminal.data(toCsv(result));
  else {
    const { width, color, unicode } = terminal;
    const rows = result.rows.slice(0, MOST_ROWS);
    terminal.out(renderRows({ columns: result.columns, rows }, { width, color, unicode }));
    const more = result.rows.length - rows.length;
    if (more > 0) terminal.err(`${more} more rows: --csv or --json prints all, LIMIT returns fewer\n`);
  }
  tellFindings(result.findings, terminal);
  return inputWasSkipped(result.findings) ? EXIT.skipped : EXIT.fine;
}

const DEFAULT_TIME_LIMIT_S = 300;

/** Milliseconds; undefined for none. */
function parseTimeLimit(text: string | undefined): number | undefined {
  const seconds = text === undefined ? DEFAULT_TIME_LIMIT_S : text.trim() === "" ? Number.NaN : Number(text);
  if (!(seconds >= 0 && seconds <= MOST_SECONDS))
    throw new UsageError(`--timeout must be a number of seconds, or 0 for no limit, not "${text}"`);
  return seconds === 0 ? undefined : seconds * 1000;
}

/** Timers accept no more. */
const MOST_SECONDS = 2 ** 31 / 1000 - 1;

/** A header, then the rows. */
function toCsv({ columns, rows }: QueryResult): string {
  return [columns.map(({ name }) => name), ...rows].map(csvLine).join("");
}
