import { spawn } from "node:child_process";

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

/**
 * Runs `logratio` once. In a separate process, because a run may need all the memory that a process can have, a client
 * may cancel at any moment, and a file that crashes the process must not end the server.
 *
 * @param program the script that starts the command line
 */
export function runVerb(
  program: string,
  args: readonly string[],
  { seconds, characters }: VerbLimits,
  signal: AbortSignal,
): Promise<VerbOutcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      // No colors: the environment's setting would put them into the messages.
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" },
    });
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
      reject(error);
    });
    child.on("close", (status) => {
      end();
      resolve({ status, out, err, ...(stopped !== undefined && { stopped }) });
    });
  });
}
