import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { fileSystemError } from "../../core/base/index.ts";
import { confinedEnvironment } from "../../input/io/index.ts";

/** How a verb ended. */
export interface VerbOutcome {
  /** The exit status of `logratio`; null where it was stopped by a signal. */
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
  /** Why it was stopped early. */
  readonly stopped?: "time" | "size" | "canceled";
}

export interface VerbLimits {
  readonly seconds: number;
  /** Characters of output that are read before the verb is stopped. */
  readonly characters: number;
}

/** Characters kept from the end of standard error: causes and advice come last. */
const MESSAGES_KEPT = 16_000;
/** How long a stopped verb may take to remove its temporary files. */
const GRACE_MS = 2000;

export interface VerbCall {
  /** The script that starts the command line. */
  readonly program: string;
  readonly args: readonly string[];
  readonly limits: VerbLimits;
  /** Real paths below which it may read files of this machine. */
  readonly below: readonly string[];
}

/**
 * Runs `logratio` once. In a separate process, because a run may need all the memory that a process can have, a client
 * may cancel at any moment, and a file that crashes the process must not end the server.
 *
 * @throws FileSystemError or NotFoundError when the system cannot start it
 */
export function runVerb(
  { program, args, limits: { seconds, characters }, below }: VerbCall,
  signal: AbortSignal,
): Promise<VerbOutcome> {
  return new Promise((resolve, reject) => {
    const child = start([program, ...args], below);
    let out = "";
    let err = "";
    let stopped: VerbOutcome["stopped"];
    const stop = (why: NonNullable<VerbOutcome["stopped"]>): void => {
      if (stopped !== undefined) return;
      stopped = why;
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
    };
    const clock = setTimeout(() => stop("time"), seconds * 1000);
    const cancel = (): void => stop("canceled");
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      if (out.length + chunk.length > characters) stop("size");
      else out += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      err = (err + chunk).slice(-MESSAGES_KEPT);
    });
    const end = (): void => {
      clearTimeout(clock);
      signal.removeEventListener("abort", cancel);
    };
    child.on("error", (error) => {
      end();
      reject(fileSystemError(error, "start", { file: process.execPath }));
    });
    child.on("close", (status) => {
      end();
      resolve({ status, out, err, ...(stopped !== undefined && { stopped }) });
    });
  });
}

function start(
  args: readonly string[],
  below: readonly string[],
): ChildProcessByStdio<null, Readable, Readable> {
  try {
    return spawn(process.execPath, [...process.execArgv, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      // No colors: the environment's setting would put them into the messages.
      env: { ...process.env, ...confinedEnvironment(below), NO_COLOR: "1", FORCE_COLOR: "0" },
    });
  } catch (cause) {
    throw fileSystemError(cause, "start", { file: process.execPath });
  }
}
