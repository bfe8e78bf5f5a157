import { UsageError } from "../../core/base/index.ts";
import { isLogLine, openOutputs } from "../../ingest/outputs/index.ts";
import {
  type JsonlLog,
  type JsonlLogOptions,
  listLogFiles,
  openJsonlLog,
} from "../../ingest/writing/index.ts";
import type { DivergenceReport } from "../../results/divergence.ts";
import { lineIdentity } from "../divergence/line.ts";
import type { FilterOptions } from "./filter-option.ts";

/** The file of a log. */
export interface LogFileOptions {
  /** A file to append to; no record is written twice. */
  readonly out?: string;
  /** Starts a new file for each step, or each day: `iteration`, `date`. */
  readonly rotate?: string;
  /** Starts a new file once one reaches this size: `10MB`, `64MiB`. */
  readonly rotateSize?: string;
  /** Whether `out` may be a file that logratio did not write. */
  readonly force?: boolean;
}

/**
 * The file of `--out`; undefined without one.
 *
 * @throws UsageError if it would replace an input, or a file that logratio did not write
 */
export async function openLogFile(
  paths: readonly string[],
  { out, rotate, rotateSize, tokenizer, force }: LogFileOptions & Pick<FilterOptions, "tokenizer">,
): Promise<JsonlLog | undefined> {
  if (rotate !== undefined && rotate !== "iteration" && rotate !== "date")
    throw new UsageError(`unknown --rotate "${rotate}"`, { hint: "use iteration or date" });
  if (out === undefined) {
    if (rotate === undefined && rotateSize === undefined) return undefined;
    throw new UsageError("--rotate and --rotate-size need a file to rotate", {
      hint: "add --out FILE.jsonl",
    });
  }
  const log: JsonlLogOptions = {
    path: out,
    rotate,
    rotateBytes: rotateSize === undefined ? undefined : bytes(rotateSize),
  };
  const inputs = [...paths, ...(tokenizer === undefined ? [] : [tokenizer])];
  const outputs = await openOutputs({ inputs, force });
  for (const there of [out, ...listLogFiles(log)]) await outputs.file("--out", there, "divergence log");
  return openJsonlLog({
    ...log,
    identityOf: lineIdentity,
    // The names of some files are known only with their step, too late for the check at the start.
    check(path, stats, firstLine) {
      const isForeign = stats.isFile() && stats.size > 0 && !isLogLine(firstLine) && !force;
      if (outputs.isInput(stats) || isForeign)
        throw new UsageError(
          `--out ${path} appeared while the run was being read, and is not a divergence log`,
          {
            at: { file: path },
          },
        );
    },
  });
}

/** The files of the log, for the report. */
export function listOutputs(file: JsonlLog | undefined): DivergenceReport["outputs"] {
  return (file?.files ?? []).map(({ file: path, lines, repeated, completedTornLine }) => ({
    file: path,
    lines,
    repeated,
    completed_torn_line: completedTornLine,
  }));
}

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
};

/** `500000`, `10MB`, `1.5G`, `64MiB`. */
function bytes(text: string): number {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([kmg]?i?)b?\s*$/i.exec(text) ?? [];
  const factor = UNITS[(unit ?? "?").toLowerCase()];
  const value = Math.floor(Number(number) * (factor ?? Number.NaN));
  if (!(value > 0)) throw new UsageError(`--rotate-size must be a size such as 10MB, not "${text}"`);
  return value;
}
