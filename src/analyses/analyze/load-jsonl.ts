import {
  containError,
  fileSystemError,
  isLogratioError,
  isSystemError,
  type LogratioError,
} from "../../core/base/index.ts";
import type { FindingCode, FindingLog } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import { decompress, openFile, openStandardInput } from "../../input/io/index.ts";
import { isOutOfMemory } from "./database.ts";
import { readLines } from "./lines.ts";
import { type LogRecord, parseLine } from "./parse-line.ts";
import type { RecordIdentities } from "./record-identities.ts";
import type { RowWriter } from "./row-writer.ts";

/** A line that is in none of the figures. */
export interface SkippedLine {
  readonly file: string;
  /** One-based. */
  readonly line: number;
  /** `torn`: no whole record; `foreign`: a record of something else. */
  readonly kind: "torn" | "foreign";
  readonly why: string;
}

export interface LoadedFile {
  readonly file: string;
  readonly bytes: number | undefined;
  readonly records: number;
  readonly torn: number;
  readonly foreign: number;
  /** The first skipped lines. */
  readonly skipped: readonly SkippedLine[];
  /** Why the file was not read to its end. */
  readonly failure: LogratioError | undefined;
}

export interface LoadOptions {
  /** Says why an object is not a record of the wanted kind; undefined if it is. */
  readonly refuse?: (record: LogRecord) => string | undefined;
  /** Records whose identity is already in here are left out; those of this file are added. Files share it. */
  readonly seen?: RecordIdentities;
  readonly findings: FindingLog;
  /** Input for the path `-`. */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
}

/** How many skipped lines of a file are listed; all are counted. */
const MOST_NAMED = 1000;
/** How many of them the message names. */
const MOST_IN_MESSAGE = 8;

/**
 * Adds the records of a JSONL file (plain, gzip or zstd) to a table. Torn and foreign lines are counted, named and left
 * out; blank lines are ignored. If the compressed data is damaged, keeps what comes before the fault.
 *
 * @throws NotFoundError if the file cannot be opened
 */
export async function loadJsonl(
  path: string,
  writer: Pick<RowWriter, "add" | "rows">,
  options: LoadOptions,
): Promise<LoadedFile> {
  const { refuse = () => undefined, findings } = options;
  const input = await (path === "-"
    ? { name: "-", bytes: options.stdin ?? openStandardInput() }
    : openFile(path));
  const skipped: SkippedLine[] = [];
  const counts = { torn: 0, foreign: 0 };
  const before = writer.rows;
  let repeated = 0;
  let unterminated: number | undefined;
  let failure: LogratioError | undefined;
  const skip = (kind: SkippedLine["kind"], line: number, why: string): void => {
    counts[kind]++;
    if (skipped.length < MOST_NAMED) skipped.push({ file: path, line, kind, why });
  };
  try {
    for await (const block of readLines(decompress(input))) {
      for (const [index, text] of block.lines.entries()) {
        const line = block.first + index;
        if (text === undefined) {
          skip("torn", line, block.faults.get(index) ?? "not text");
          continue;
        }
        const parsed = parseLine(text);
        if ("blank" in parsed) continue;
        if ("fault" in parsed) {
          skip(parsed.fault, line, parsed.why);
          if (block.unterminated && index === block.lines.length - 1) unterminated = line;
          continue;
        }
        const why = refuse(parsed.record);
        if (why !== undefined) skip("foreign", line, why);
        else if (options.seen?.isRepeated(parsed.record)) repeated++;
        else await writer.add(parsed.record, path, line);
      }
    }
  } catch (error) {
    // A missing path and a database out of memory are not faults of this file's content.
    if (isLogratioError(error, "NotFoundError") || isOutOfMemory(error)) throw error;
    const contained = isSystemError(error)
      ? fileSystemError(error, "read", { file: path })
      : containError(error, { file: path });
    failure = contained;
    const read = writer.rows - before;
    findings.add({
      code: "file-skipped",
      severity: "skipped",
      subject: path,
      count: 1,
      at: { file: path, ...contained.at },
      likely: contained.likely ?? "the file was cut off, or is still being written",
      ...(contained.hint === undefined ? {} : { hint: contained.hint }),
      describe: () => `${contained.message}; the ${read} records before it are read`,
    });
  } finally {
    if ("close" in input) await input.close();
  }
  report(path, skipped, counts, unterminated, findings);
  if (repeated > 0) reportRepeated(path, repeated, findings);
  const bytes = "byteLength" in input ? input.byteLength : undefined;
  return { file: path, bytes, records: writer.rows - before, ...counts, skipped, failure };
}

function reportRepeated(path: string, repeated: number, findings: FindingLog): void {
  findings.add({
    code: "duplicate",
    severity: "warning",
    subject: "records",
    count: repeated,
    at: { file: path },
    likely: "the log was written twice, or copies of it were given",
    describe: (count) =>
      `${plural(count, "record occurs", "records occur")} more than once, by record_id, and ${count === 1 ? "is" : "are"} counted once`,
  });
}

const ADVICE = {
  torn: {
    code: "bad-row",
    words: "no whole record",
    likely: "several processes wrote to the file at once, or a writer crashed",
    hint: "let each process write its own file; all of them can be given here",
  },
  foreign: {
    code: "bad-row",
    words: "a record of something else",
    likely: "another program writes to the same file",
    hint: "name the log's own file",
  },
} as const satisfies Record<
  SkippedLine["kind"],
  { code: FindingCode; words: string; likely: string; hint: string }
>;

function report(
  file: string,
  skipped: readonly SkippedLine[],
  counts: Readonly<Record<SkippedLine["kind"], number>>,
  unterminated: number | undefined,
  findings: FindingLog,
): void {
  for (const kind of ["torn", "foreign"] as const) {
    const own = skipped.filter((line) => line.kind === kind);
    const [first] = own;
    if (first === undefined) continue;
    const count = counts[kind];
    const onlyLast = kind === "torn" && count === 1 && first.line === unterminated;
    const { code, words, likely, hint } = ADVICE[kind];
    const named = own.slice(0, MOST_IN_MESSAGE).map(({ line, why }) => `${line}: ${why}`);
    const more = count > named.length ? `, and ${count - named.length} more` : "";
    findings.add({
      code: onlyLast ? "partial-line" : code,
      severity: "skipped",
      subject: `${file} ${kind}`,
      count,
      at: { file, line: first.line },
      ...(onlyLast ? { likely: "the log is still being written, or its writer crashed" } : { likely, hint }),
      describe: (total) =>
        `${plural(total, "line holds", "lines hold")} ${words} and ${total === 1 ? "is" : "are"} left out (line ${named.join("; line ")}${more})`,
    });
  }
}
