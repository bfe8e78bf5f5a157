/**
 * Explains system errors of reading and writing files.
 *
 * @module
 */
import { FileSystemError, LogratioError, NotFoundError, type Place } from "./errors.ts";

interface Advice {
  readonly what: string;
  readonly likely?: string;
  readonly hint: string;
}

const ADVICE = new Map<string, Advice>([
  ["EACCES", { what: "permission denied", hint: "check its owner and permissions (ls -l)" }],
  [
    "EPERM",
    { what: "the operation is not permitted", hint: "check its permissions and attributes (ls -l, lsattr)" },
  ],
  [
    "EROFS",
    { what: "the file system is read-only", hint: "give a path on a file system that can be written" },
  ],
  ["ENOSPC", { what: "the disk is full", hint: "free some space, or give a path on another disk (df -h)" }],
  ["EDQUOT", { what: "the disk quota is used up", hint: "free some space, or give a path on another disk" }],
  [
    "EFBIG",
    {
      what: "the file is too large for the file system or a limit",
      hint: "raise the limit (ulimit -f), or give a path on another disk",
    },
  ],
  [
    "EMFILE",
    {
      what: "the process has too many open files",
      hint: "raise the limit and run again: ulimit -n 65536",
    },
  ],
  [
    "ENFILE",
    { what: "the system has too many open files", hint: "close other programs, or raise fs.file-max" },
  ],
  [
    "EIO",
    {
      what: "the device reports an input/output error",
      likely: "the disk or the network file system is failing",
      hint: "look at the system's log (dmesg), or copy the file elsewhere and try that",
    },
  ],
  [
    "ESTALE",
    { what: "the network file system has lost the file", hint: "mount it again, or copy the file first" },
  ],
  ["EEXIST", { what: "something else already has that name", hint: "give another path" }],
  ["EISDIR", { what: "it is a directory", hint: "give the path of a file" }],
  ["ENOTDIR", { what: "part of the path is not a directory", hint: "check the path" }],
  ["ELOOP", { what: "its symbolic links form a loop", hint: "give the path that the links should point to" }],
  ["ENAMETOOLONG", { what: "the name is too long for the file system", hint: "give a shorter path" }],
]);

/** The errno of a failed system call, Node's `code`. */
function readCode(cause: unknown): string | undefined {
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return undefined;
  return typeof cause.code === "string" && /^E[A-Z]+$/.test(cause.code) ? cause.code : undefined;
}

/** Whether an error comes from a system call, and so from the machine rather than a file's content. */
export function isSystemError(
  error: unknown,
): error is Error & { readonly code: string; readonly path?: string; readonly syscall?: string } {
  return readCode(error) !== undefined;
}

/**
 * A failed system call as an error with a tag: {@link NotFoundError} when the path does not exist, else {@link
 * FileSystemError}. Errors with a tag are returned unchanged.
 *
 * @param doing what was tried, as a verb of the message: "read", "write", "list"
 */
export function fileSystemError(
  cause: unknown,
  doing: string,
  at: Place & { readonly file: string },
): LogratioError {
  if (cause instanceof LogratioError) return cause;
  const code = readCode(cause);
  if (code === "ENOENT") {
    return new NotFoundError(`cannot ${doing} ${at.file}: there is no such file or directory`, {
      at,
      hint: doing === "read" ? "check the path" : "check that its directory exists",
      cause,
    });
  }
  const advice = code === undefined ? undefined : ADVICE.get(code);
  const text = advice?.what ?? (cause instanceof Error ? cause.message : String(cause));
  return new FileSystemError(
    `cannot ${doing} ${at.file}: ${text}${advice === undefined ? "" : ` (${code})`}`,
    {
      at,
      ...(advice?.likely !== undefined && { likely: advice.likely }),
      ...(advice !== undefined && { hint: advice.hint }),
      cause,
    },
  );
}
