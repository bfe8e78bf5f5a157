/**
 * JSONL logs of a training run, which one or several processes append to line by line.
 *
 * @module
 */

import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, extname, join, resolve, sep } from "node:path";
import { fileSystemError, UsageError } from "../../core/base/index.ts";
import { isAbsence, isPresent, makeDirectory } from "../../input/io/index.ts";

export interface JsonlLogOptions {
  /** `{iteration}` and `{date}` (UTC, `2026-03-01`) are filled in. */
  readonly path: string;
  /**
   * One file per iteration or day: `log-iteration-12.jsonl`, `log-2026-03-01.jsonl`, unless the path has a placeholder.
   */
  readonly rotate?: "iteration" | "date" | undefined;
  /**
   * Starts a new file before one grows beyond this many bytes: `log.jsonl`, `log.1.jsonl`, …; one append is never split.
   */
  readonly rotateBytes?: number | undefined;
  readonly now?: () => Date;
  /**
   * Identifies a line. A line whose identity is already in the log, in any of its files, is not written again, so a
   * command that was killed or is repeated duplicates nothing.
   */
  readonly identityOf?: (line: string) => string | undefined;
  /** Called for each existing file before anything is appended to it; may refuse by throwing. */
  readonly check?: (file: string, stats: Stats, firstLine: string) => void;
}

/** A file that was appended to. */
export interface AppendedFile {
  readonly file: string;
  lines: number;
  /** Lines that were not written because they are already in the log. */
  repeated: number;
  /** Whether an earlier writer's last line was cut off, so that a line break was added. */
  completedTornLine: boolean;
}

export interface JsonlLog {
  /**
   * Appends lines, given without line breaks. Each line is one write in append mode, so lines of several writers never
   * mix.
   *
   * @returns the file
   * @throws FileSystemError or NotFoundError when the file cannot be written; lines before the failure stay
   */
  append(lines: readonly string[], iteration?: number | null): AppendedFile;
  /** In the order in which they were first written to. */
  readonly files: readonly AppendedFile[];
}

export function openJsonlLog(options: JsonlLogOptions): JsonlLog {
  const { rotateBytes, identityOf, check, now = () => new Date() } = options;
  if (rotateBytes !== undefined && !(rotateBytes > 0))
    throw new UsageError(`the size at which a log is rotated must be positive, not ${rotateBytes} bytes`);
  const template = makeTemplate(options);
  const files = new Map<string, AppendedFile>();
  let known: Set<string> | undefined;
  /** Lines that are new; a line without an identity always is. */
  const newLines = (lines: readonly string[]): readonly string[] => {
    if (identityOf === undefined) return lines;
    known ??= readIdentities(listLogFiles(options), identityOf);
    return lines.filter((line) => {
      const identity = identityOf(line);
      if (identity === undefined) return true;
      if (known!.has(identity)) return false;
      known!.add(identity);
      return true;
    });
  };
  return {
    append(all, iteration = null) {
      const lines = newLines(all);
      const base = template
        .replaceAll("{iteration}", String(iteration ?? "none"))
        .replaceAll("{date}", now().toISOString().slice(0, 10));
      const chunks = lines.map((line) => Buffer.from(`${line}\n`));
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      const file = rotateBytes === undefined ? base : fileWithRoom(base, bytes, rotateBytes);
      let entry = files.get(file);
      if (entry === undefined) {
        entry = { file, lines: 0, repeated: 0, completedTornLine: false };
        // A refusal is not remembered: the check runs again next time.
        if (check !== undefined) checkFile(file, check);
        files.set(file, entry);
      }
      entry.repeated += all.length - lines.length;
      if (lines.length > 0) appendTo(entry, chunks);
      return entry;
    },
    get files() {
      return [...files.values()].filter(({ lines, repeated }) => lines + repeated > 0);
    },
  };
}

/**
 * Appends lines (given without line breaks) to one file, each with one write, so that lines of several writers never
 * mix.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { mkdtemp, readFile, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { appendJsonl } from "logratio/node";
 *
 * const directory = await mkdtemp(join(tmpdir(), "log-"));
 * const path = join(directory, "divergence.jsonl");
 * appendJsonl(path, ['{"iteration":1}', '{"iteration":2}']);
 * assert.equal(await readFile(path, "utf8"), '{"iteration":1}\n{"iteration":2}\n');
 * await rm(directory, { recursive: true });
 * ```
 *
 * @throws FileSystemError or NotFoundError when the file cannot be written
 */
export function appendJsonl(path: string, lines: readonly string[]): void {
  openJsonlLog({ path }).append(lines);
}

function makeTemplate({ path, rotate }: JsonlLogOptions): string {
  if (rotate === undefined || path.includes(`{${rotate}}`)) return path;
  return before(extname(path), path, rotate === "date" ? "-{date}" : "-iteration-{iteration}");
}

function before(extension: string, path: string, part: string): string {
  return path.slice(0, path.length - extension.length) + part + extension;
}

/** Existing files of the log, for any iteration, date and size. */
export function listLogFiles(options: Pick<JsonlLogOptions, "path" | "rotate" | "rotateBytes">): string[] {
  const template = resolve(makeTemplate(options));
  const extension = extname(template);
  const parts = template.split(sep).slice(1);
  let found: readonly string[] = [sep];
  for (const [i, part] of parts.entries()) {
    const isLast = i === parts.length - 1;
    if (!isLast && !/\{(?:iteration|date)\}/.test(part)) {
      found = found.map((folder) => join(folder, part));
      continue;
    }
    const stem = isLast ? before(extension, part, "{number}") : part;
    const pattern = new RegExp(
      `^${stem
        .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
        .replaceAll("{iteration}", "(?:none|-?\\d+)")
        .replaceAll("{date}", "\\d{4}-\\d\\d-\\d\\d")
        .replaceAll("{number}", "(?:\\.\\d+)?")}$`,
    );
    found = found.flatMap((folder) =>
      namesIn(folder)
        .filter((name) => pattern.test(name))
        .map((name) => join(folder, name)),
    );
  }
  return found.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (isAbsence(cause)) return [];
    throw fileSystemError(cause, "list", { file: folder });
  }
}

const CHUNK_BYTES = 1 << 20;

/** The identities of all complete lines. A cut-off line has none, so it is written again. */
function readIdentities(
  files: readonly string[],
  identityOf: (line: string) => string | undefined,
): Set<string> {
  const found = new Set<string>();
  for (const file of files) {
    for (const line of readLines(file)) {
      const identity = identityOf(line);
      if (identity !== undefined) found.add(identity);
    }
  }
  return found;
}

function* readLines(file: string): Generator<string> {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let held: Buffer[] = [];
    for (;;) {
      const read = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
      if (read === 0) break;
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0 && end < read; end = chunk.indexOf(10, start)) {
        yield Buffer.concat([...held, chunk.subarray(start, end)]).toString("utf8");
        held = [];
        start = end + 1;
      }
      // A copy, since the chunk's memory is reused.
      if (start < read) held.push(Buffer.from(chunk.subarray(start, read)));
    }
    if (held.length > 0) yield Buffer.concat(held).toString("utf8");
  } catch (cause) {
    throw fileSystemError(cause, "read", { file });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const MOST_FIRST_LINE = 1 << 16;

function checkFile(file: string, check: NonNullable<JsonlLogOptions["check"]>): void {
  const begun = readBeginning(file);
  if (begun !== undefined) check(file, begun.stats, begun.firstLine);
}

/** What exists under the log's name; undefined when nothing does. */
function readBeginning(file: string): { readonly stats: Stats; readonly firstLine: string } | undefined {
  let descriptor: number | undefined;
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (!stats.isFile() || stats.size === 0) return { stats, firstLine: "" };
    descriptor = openSync(file, "r");
    const head = Buffer.alloc(Math.min(stats.size, MOST_FIRST_LINE));
    const read = readSync(descriptor, head, 0, head.length, 0);
    return { stats, firstLine: head.subarray(0, read).toString("utf8").split("\n", 1)[0]! };
  } catch (cause) {
    throw fileSystemError(cause, "append to", { file });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The last file of `log.jsonl`, `log.1.jsonl`, … or, where these bytes would make it too large, the one after it. */
function fileWithRoom(base: string, bytes: number, limit: number): string {
  const numbered = (n: number): string => (n === 0 ? base : before(extname(base), base, `.${n}`));
  let last = 0;
  while (isPresent(numbered(last + 1))) last++;
  const size = statSync(numbered(last), { throwIfNoEntry: false })?.size ?? 0;
  return numbered(size > 0 && size + bytes > limit ? last + 1 : last);
}

function appendTo(entry: AppendedFile, chunks: readonly Buffer[]): void {
  const { file } = entry;
  let descriptor: number | undefined;
  try {
    makeDirectory(dirname(file));
    descriptor = openSync(file, "a+");
    if (endsTorn(descriptor)) {
      writeWhole(descriptor, Buffer.from("\n"));
      entry.completedTornLine = true;
    }
    for (const chunk of chunks) {
      writeWhole(descriptor, chunk);
      entry.lines++;
    }
  } catch (cause) {
    throw fileSystemError(cause, "append to", { file });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** How long another process's write may take before its line counts as torn. */
const UNDER_WAY_MS = 20;

/** Whether the file ends within a line, and no process is about to write the rest. */
function endsTorn(descriptor: number): boolean {
  const size = tornSize(descriptor);
  if (size === undefined) return false;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, UNDER_WAY_MS);
  return tornSize(descriptor) === size;
}

/** The size of a file that ends within a line, else undefined. */
function tornSize(descriptor: number): number | undefined {
  const stats = fstatSync(descriptor);
  if (!stats.isFile() || stats.size === 0) return undefined;
  const last = Buffer.alloc(1);
  const ended = readSync(descriptor, last, 0, 1, stats.size - 1) === 1 && last[0] === 0x0a;
  return ended ? undefined : stats.size;
}

/** One write; if the system took only a part (a full disk), the rest follows or its error is raised. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(descriptor, bytes, from);
}
