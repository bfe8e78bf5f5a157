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
  ["ENOTEMPTY", { what: "the directory is not empty", hint: "look at what is in it, or give another path" }],
  ["EXDEV", { what: "the two paths are on different file systems", hint: "give paths on one disk" }],
  ["EBUSY", { what: "another program is using it", hint: "close that program, or try again later" }],
  ["ETXTBSY", { what: "another program is running it", hint: "try again when that program has ended" }],
  ["EMLINK", { what: "it has too many links", hint: "give another path" }],
  [
    "EINVAL",
    { what: "the system does not accept this operation there", hint: "give a path on an ordinary disk" },
  ],
  ["ENXIO", { what: "nothing is connected to the device or pipe", hint: "give the path of a file" }],
  ["ENODEV", { what: "the device does not support this", hint: "give the path of a file" }],
  ["ENOTSUP", { what: "the file system does not support this", hint: "give a path on an ordinary disk" }],
  ["EOPNOTSUPP", { what: "the file system does not support this", hint: "give a path on an ordinary disk" }],
  ["ENOSYS", { what: "the system does not support this", hint: "give a path on an ordinary disk" }],
  ["ENOLCK", { what: "the file system has no locks left", hint: "give a path on a local disk" }],
  ["EOVERFLOW", { what: "the file is too large for this system", hint: "split it, or use a 64-bit system" }],
  ["ENOMEM", { what: "the system has no memory left", hint: "close other programs, or lower --memory" }],
  [
    "EAGAIN",
    {
      what: "the system has no room for another process or operation",
      hint: "try again, or raise the limit (ulimit -u)",
    },
  ],
  ["E2BIG", { what: "the arguments are longer than the system allows", hint: "give fewer or shorter ones" }],
  ["ENOEXEC", { what: "the system cannot run it", hint: "give a program for this machine" }],
  ["ESRCH", { what: "the process has ended", hint: "try again" }],
  ["EINTR", { what: "the operation was interrupted", hint: "try again" }],
  ["EPIPE", { what: "the reader has closed the pipe", hint: "see why the program that reads it ended" }],
  [
    "ECONNREFUSED",
    { what: "nothing listens there", hint: "check address and port, and that the server runs" },
  ],
  ["ECONNRESET", { what: "the other side closed the connection", hint: "try again, or look at its log" }],
  ["ECONNABORTED", { what: "the connection was aborted", hint: "try again" }],
  ["ENOTCONN", { what: "the connection is closed", hint: "try again" }],
  ["ETIMEDOUT", { what: "there was no answer in time", hint: "check the address and the network" }],
  ["ENOTFOUND", { what: "the host is not known", hint: "check the name in the address, and the network" }],
  ["EAI_AGAIN", { what: "the name server does not answer", hint: "check the network, or try again" }],
  ["EHOSTUNREACH", { what: "the host cannot be reached", hint: "check the address and the network" }],
  ["EHOSTDOWN", { what: "the host is down", hint: "check the address, or try again" }],
  ["ENETUNREACH", { what: "the network cannot be reached", hint: "check the network" }],
  ["ENETDOWN", { what: "the network is down", hint: "check the network" }],
  ["EPROTO", { what: "the other side speaks another protocol", hint: "check http or https, and the port" }],
  ["EADDRINUSE", { what: "another program listens there", hint: "give a free port: --port N" }],
  [
    "EADDRNOTAVAIL",
    { what: "this machine does not have that address", hint: "give an address of this machine: --host HOST" },
  ],
]);

/** `ENOENT`, `E2BIG`, `EAI_AGAIN`; not `ERR_…`, which are Node's own. */
const SYSTEM_CODE = /^E(?!RR_)[A-Z0-9_]+$/;

/** Calls that identify the kind of failure; all others read or look. */
const DOING = new Map(
  Object.entries({
    write:
      "write,writev,fsync,fdatasync,ftruncate,truncate,rename,unlink,rmdir,rm,mkdir,mkdtemp,link,symlink",
    reach: "connect,getaddrinfo,send,recv,sendmsg,shutdown",
    "listen at": "listen,bind",
    start: "spawn,kill",
  }).flatMap(([doing, calls]) => calls.split(",").map((call) => [call, doing] as const)),
);

/** The errno of a failed system call, Node's `code`. */
function readCode(cause: unknown): string | undefined {
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return undefined;
  const { code } = cause;
  return typeof code === "string" && SYSTEM_CODE.test(code) ? code : undefined;
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
  if (code === "ENOENT" && doing === "start") {
    return new NotFoundError(`cannot start ${at.file}: there is no such program`, {
      at,
      hint: "install it, or check its name and the PATH",
      cause,
    });
  }
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

/** How many causes of an error are followed in search of a system error. */
const MOST_CAUSES = 8;

/** The failed system call in an error or among its causes; `fetch failed` has one behind a TypeError. */
function findSystemError(error: unknown): SystemError | undefined {
  let at = error;
  for (let depth = 0; depth < MOST_CAUSES && at instanceof Error; depth++) {
    if (isSystemError(at)) return at;
    at = at instanceof AggregateError && at.cause === undefined ? at.errors[0] : at.cause;
  }
  return undefined;
}

interface SystemError extends Error {
  readonly code: string;
  readonly syscall?: string;
  readonly path?: string;
  readonly dest?: string;
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
}

/** What a failed call was about, as far as the system reports it. */
function nameSubject({ syscall = "", path, dest, hostname, address, port }: SystemError): string {
  // `spawn PROGRAM`: some versions report the program only there.
  const program = /^spawn(?:Sync)? (.+)$/.exec(syscall)?.[1];
  const host = hostname ?? address;
  const place = host === undefined ? undefined : `${host}${port === undefined ? "" : `:${port}`}`;
  return dest ?? path ?? program ?? place ?? "a file";
}

/**
 * The tagged error for a failure that was not explained where it happened and is due to the machine, not a bug: a full
 * disk, a missing directory, a closed port, a program that is not installed.
 *
 * @returns undefined for any other untagged error, which is a bug
 */
export function foreseenError(error: unknown): LogratioError | undefined {
  if (error instanceof LogratioError) return error;
  const failed = findSystemError(error);
  if (failed === undefined) return undefined;
  const [call = ""] = (failed.syscall ?? "").split(" ");
  return fileSystemError(failed, DOING.get(call.replace(/Sync$/, "")) ?? "read", {
    file: nameSubject(failed),
  });
}
