/**
 * DuckDB in this process, without network access and without the user's settings.
 *
 * @module
 */

import { resolve } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import {
  FileSystemError,
  FormatError,
  fileSystemError,
  LimitError,
  type LogratioError,
  memoryLimit,
  UnsupportedError,
} from "../../../core/base/index.ts";

export interface EngineOptions {
  /** Threads that decode or encode; default 1, apart from the thread that runs JavaScript. */
  readonly threads?: number;
  /** Bytes that DuckDB may use for its buffers; default the memory limit. Decoded rows are extra. */
  readonly memoryLimit?: number;
}

export interface Engine {
  readonly connection: DuckDBConnection;
  close(): void;
}

/** DuckDB does not accept Infinity, and its buffers never come near this. */
const MOST_MEMORY_BYTES = 2 ** 40;

interface Shared {
  readonly instance: Promise<DuckDBInstance>;
  users: number;
  /** Closes the instance once no file has been read with it for a while. */
  idle?: NodeJS.Timeout;
}

/**
 * Files share an instance, even when they are read one after the other: a new instance has to get its memory from the
 * system page by page, which made reading a file of 13 MB take 170 ms instead of 90.
 */
const instances = new Map<string, Shared>();
/** How long an unused instance keeps its memory. */
const IDLE_MS = 1000;

export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const threads = String(options.threads ?? 1);
  const memory = `${Math.min(options.memoryLimit ?? memoryLimit(), MOST_MEMORY_BYTES)}B`;
  const key = `${threads} ${memory}`;
  const shared = instances.get(key) ?? { instance: createInstance(threads, memory), users: 0 };
  instances.set(key, shared);
  shared.users++;
  clearTimeout(shared.idle);
  const close = (): void => {
    if (instances.get(key) === shared) instances.delete(key);
    void shared.instance.then((instance) => instance.closeSync()).catch(() => {});
  };
  const release = (): void => {
    // The process need not stay alive for this timer.
    if (--shared.users === 0) shared.idle = setTimeout(close, IDLE_MS).unref();
  };
  try {
    const connection = await (await shared.instance).connect();
    let open = true;
    const disconnect = (): void => {
      if (!open) return;
      open = false;
      connection.closeSync();
      release();
    };
    return { connection, close: disconnect };
  } catch (error) {
    // An instance that could not be made is not used again.
    if (--shared.users === 0) close();
    throw error;
  }
}

function createInstance(threads: string, memory: string): Promise<DuckDBInstance> {
  return DuckDBInstance.create(":memory:", {
    threads,
    memory_limit: memory,
    // Extensions are never downloaded or loaded, so a path such as s3://… is an error, not a download.
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    // Files are read once, and would otherwise stay in memory.
    enable_external_file_cache: "false",
    // Nothing here sorts or joins, so nothing needs to spill into the working directory.
    temp_directory: "",
    lock_configuration: "true",
  });
}

/** Escapes a path for `read_parquet`, which reads `*`, `?` and `[` as a pattern. */
export function literalPath(path: string): string {
  return resolve(path).replace(/[*?[]/g, (character) => `[${character}]`);
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The C library's messages for an errno, which DuckDB repeats. */
const SYSTEM_WORDS: readonly (readonly [RegExp, string])[] = [
  [/No space left on device/, "ENOSPC"],
  [/Disk quota exceeded/, "EDQUOT"],
  [/Read-only file system/, "EROFS"],
  [/Permission denied/, "EACCES"],
  [/Input\/output error/, "EIO"],
  [/Too many open files/, "EMFILE"],
  [/File too large/, "EFBIG"],
];

/**
 * Converts DuckDB's error about a file that it writes into ours, with the system's error if it names one.
 *
 * @param file the file that the user requested
 */
export function duckdbWriteError(cause: unknown, file: string): LogratioError {
  const text = cause instanceof Error ? cause.message : String(cause);
  const [, code] = SYSTEM_WORDS.find(([words]) => words.test(text)) ?? [];
  if (code !== undefined)
    return fileSystemError(Object.assign(new Error(text, { cause }), { code }), "write", { file });
  if (!/^IO Error/.test(text)) return duckdbError(cause, file);
  return new FileSystemError(`cannot write ${file}: ${text.split("\n", 1)[0]}`, { at: { file }, cause });
}

/** Converts DuckDB's error about a file that it reads into ours. */
export function duckdbError(cause: unknown, file: string): LogratioError {
  const text = cause instanceof Error ? cause.message : String(cause);
  const first = text.split("\n", 1)[0]!.trim();
  const [, kind = "", rest = first] = /^([A-Za-z ]+ Error): (.*)$/.exec(first) ?? [];
  const at = { file };
  if (kind === "Out of Memory Error") {
    return new LimitError(`reading parquet needs more memory than its limit: ${rest}`, {
      at,
      hint: "rewrite the file with smaller row groups, or raise the limit",
      cause,
    });
  }
  if (kind === "Not implemented Error") {
    return new UnsupportedError(`unsupported parquet feature: ${rest}`, { at, cause });
  }
  return new FormatError(`parquet data cannot be decoded: ${rest}`, {
    at,
    likely: "the file was damaged in a copy, or was rewritten while it was read",
    hint: "copy it again",
    cause,
  });
}
