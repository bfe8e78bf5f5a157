/**
 * JSONL files that grow line by line, by this process or several: what a log of a training run is written to.
 *
 * @module
 */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { dirname, extname } from "node:path";
import { NotFoundError, UsageError } from "../base/errors.ts";
import { makeDirectory } from "../io/make-directory.ts";

export interface JsonlLogOptions {
  /** `{iteration}` and `{date}` (UTC, `2026-03-01`) are filled in. */
  readonly path: string;
  /** A file for each iteration or day: `log-iteration-12.jsonl`, `log-2026-03-01.jsonl`, unless the path says where. */
  readonly rotate?: "iteration" | "date" | undefined;
  /** A new file before one grows beyond this many bytes: `log.jsonl`, `log.1.jsonl`, …; one append stays together. */
  readonly rotateBytes?: number | undefined;
  readonly now?: () => Date;
}

/** A file that was appended to. */
export interface AppendedFile {
  readonly file: string;
  lines: number;
  /** The last line of an earlier writer had no end; it was given one. */
  completedTornLine: boolean;
}

export interface JsonlLog {
  /**
   * Appends lines, given without their ends. Each line is one write to a file in append mode, so that lines of several
   * writers never mix.
   *
   * @returns the file
   * @throws NotFoundError when the file cannot be written; lines before the failure are there
   */
  append(lines: readonly string[], iteration?: number | null): AppendedFile;
  /** In the order in which they were first written to. */
  readonly files: readonly AppendedFile[];
}

export function openJsonlLog(options: JsonlLogOptions): JsonlLog {
  const { rotateBytes, now = () => new Date() } = options;
  if (rotateBytes !== undefined && !(rotateBytes > 0))
    throw new UsageError(`The size at which a log is rotated must be positive, not ${rotateBytes} bytes`);
  const template = templateOf(options);
  const files = new Map<string, AppendedFile>();
  return {
    append(lines, iteration = null) {
      const base = template
        .replaceAll("{iteration}", String(iteration ?? "none"))
        .replaceAll("{date}", now().toISOString().slice(0, 10));
      const chunks = lines.map((line) => Buffer.from(`${line}\n`));
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      const file = rotateBytes === undefined ? base : fileWithRoom(base, bytes, rotateBytes);
      let entry = files.get(file);
      if (entry === undefined) {
        entry = { file, lines: 0, completedTornLine: false };
        files.set(file, entry);
      }
      appendTo(entry, chunks);
      return entry;
    },
    get files() {
      return [...files.values()].filter(({ lines }) => lines > 0);
    },
  };
}

/**
 * Appends lines (given without their ends) to one file, each whole: {@link openJsonlLog} without rotation.
 *
 * @throws NotFoundError when the file cannot be written
 */
export function appendJsonl(path: string, lines: readonly string[]): void {
  openJsonlLog({ path }).append(lines);
}

function templateOf({ path, rotate }: JsonlLogOptions): string {
  if (rotate === undefined || path.includes(`{${rotate}}`)) return path;
  return before(extname(path), path, rotate === "date" ? "-{date}" : "-iteration-{iteration}");
}

function before(extension: string, path: string, part: string): string {
  return path.slice(0, path.length - extension.length) + part + extension;
}

/** The last file of `log.jsonl`, `log.1.jsonl`, … or, where these bytes would make it too large, the one after it. */
function fileWithRoom(base: string, bytes: number, limit: number): string {
  const numbered = (n: number): string => (n === 0 ? base : before(extname(base), base, `.${n}`));
  let last = 0;
  while (existsSync(numbered(last + 1))) last++;
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
    const left = entry.lines === 0 ? "" : ` (${entry.lines} lines were written to it before)`;
    throw new NotFoundError(
      `Cannot append to ${file}: ${cause instanceof Error ? cause.message : String(cause)}${left}`,
      {
        at: { file },
        hint: "check that the directory may be written to and the disk has room, or give another path",
        cause,
      },
    );
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** How long another process's write may be under way before its line counts as torn. */
const UNDER_WAY_MS = 20;

/** Whether the file's last byte is not the end of a line, and nobody is about to write the rest. */
function endsTorn(descriptor: number): boolean {
  const size = tornSize(descriptor);
  if (size === undefined) return false;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, UNDER_WAY_MS);
  return tornSize(descriptor) === size;
}

/** The size of a file that ends within a line. */
function tornSize(descriptor: number): number | undefined {
  const stats = fstatSync(descriptor);
  if (!stats.isFile() || stats.size === 0) return undefined;
  const last = Buffer.alloc(1);
  const ended = readSync(descriptor, last, 0, 1, stats.size - 1) === 1 && last[0] === 0x0a;
  return ended ? undefined : stats.size;
}

/** One write; where the system took only a part of it (a full disk), the rest follows or its error is raised. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(descriptor, bytes, from);
}
