import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  containError,
  EmptyInputError,
  FormatError,
  type LogratioError,
  NotFoundError,
} from "../../../core/base/index.ts";
import { type ConformanceCase, type ConformanceResult, runConformanceCase } from "../../conformance/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { toJson } from "../json.ts";
import { formatError, formatLine } from "../messages.ts";
import type { Terminal } from "../terminal.ts";

export interface ConformanceOptions {
  readonly json?: boolean;
}

/** Runs every case file of a directory and prints one line per case. */
export async function conformance(
  directory: string,
  options: ConformanceOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  const names = (await listDirectory(directory)).filter((name) => name.endsWith(".json")).sort();
  if (names.length === 0)
    throw new EmptyInputError(`no case files (*.json) in ${directory}`, { at: { file: directory } });
  const counts = { run: 0, skipped: 0 };
  const unread: LogratioError[] = [];
  for (const name of names) {
    let result: ConformanceResult;
    try {
      result = runConformanceCase(await readCase(join(directory, name)));
    } catch (error) {
      unread.push(containError(error, { file: join(directory, name) }, "case"));
      continue;
    }
    const skipped = "skipped" in result;
    counts[skipped ? "skipped" : "run"]++;
    terminal.out(options.json ? toJson(result) : formatLine(`${result.id}: ${skipped ? "skipped" : "run"}`));
  }
  terminal.err(`${counts.run} cases run, ${counts.skipped} of unsupported kinds skipped\n`);
  if (unread.length === names.length) throw unread[0]!;
  for (const error of unread) terminal.err(formatError(error, terminal));
  return unread.length > 0 ? EXIT.skipped : EXIT.fine;
}

async function listDirectory(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (cause) {
    throw new NotFoundError(
      `cannot list ${directory}: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        at: { file: directory },
        hint: "give the directory with the case files",
        cause,
      },
    );
  }
}

async function readCase(file: string): Promise<ConformanceCase> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as ConformanceCase;
  } catch (cause) {
    throw new FormatError(
      `${file} is not a case file: ${cause instanceof Error ? cause.message : String(cause)}`,
      { at: { file }, cause },
    );
  }
}
