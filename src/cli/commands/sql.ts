import { inputWasSkipped } from "../../analysis/left-out.ts";
import { UsageError } from "../../base/errors.ts";
import { type QueryResult, queryFiles } from "../../logs/index.ts";
import { renderRows } from "../../report/analyze/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { toJson } from "../json.ts";
import { formatFinding } from "../messages.ts";
import type { Terminal } from "../terminal.ts";

export interface SqlOptions {
  readonly json?: boolean;
  readonly csv?: boolean;
}

/** Rows of a table on the screen; --json and --csv print all. */
const MOST_ROWS = 1000;
const SCHEMA_VERSION = 1;

/** Runs one query over files and prints its rows. */
export async function sql(
  query: string,
  files: readonly string[],
  { json, csv }: SqlOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (json && csv)
    throw new UsageError("--json and --csv contradict each other", { hint: "ask for one of them" });
  // Ends with an exit that clears what has spilled to disk.
  process.once("SIGINT", () => process.exit(EXIT.interrupted));
  const result = await queryFiles(query, files, {});
  if (json) terminal.out(toJson({ schemaVersion: SCHEMA_VERSION, kind: "sql", ...result }));
  else if (csv) terminal.out(toCsv(result));
  else {
    const { width, colour: color, unicode } = terminal;
    const rows = result.rows.slice(0, MOST_ROWS);
    terminal.out(renderRows({ columns: result.columns, rows }, { width, color, unicode }));
    const more = result.rows.length - rows.length;
    if (more > 0) terminal.err(`${more} more rows: --csv or --json prints all, LIMIT asks for fewer\n`);
  }
  for (const finding of result.findings) terminal.err(formatFinding(finding, terminal));
  return inputWasSkipped(result.findings) ? EXIT.skipped : EXIT.fine;
}

/** RFC 4180: a header, CRLF, quotes where they are needed; what is missing is empty. */
function toCsv({ columns, rows }: QueryResult): string {
  const cell = (value: unknown): string => {
    if (value === null || value === undefined) return "";
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    return /[",\r\n]/.test(text) || text === "" ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [columns.map(({ name }) => name), ...rows];
  return lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}
