/**
 * Runs the program as a process in which one call that changes files fails, or at which it is killed.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../run-cli.ts";

/**
 * What happens to a call:
 *
 * * `kill-before`, `kill-after`, `kill-half`: SIGKILL before it, after it, after half of its bytes are written;
 * * `enospc`, `eio`, `bug`: it fails with that error, or with one that has no code;
 * * `short`: half of its bytes are written; a whole file's write then fails with ENOSPC, `write(2)` says how much it took;
 * * `full`: it and all later calls that need room on the disk fail with ENOSPC.
 */
export type FaultKind =
  | "kill-before"
  | "kill-after"
  | "kill-half"
  | "enospc"
  | "eio"
  | "bug"
  | "short"
  | "full";

export interface Fault {
  readonly kind: FaultKind;
  /** The number of the call, from 1. */
  readonly call: number;
  /** Number of calls affected among all later ones that `kind` concerns. Default 1. */
  readonly times?: number;
}

/** The input of `inject.cjs`. */
export interface Injection {
  /** Folders: calls that change files elsewhere are neither counted nor disturbed. */
  readonly below: readonly string[];
  /** Where it records calls: all of them or, with a fault, the first one affected. */
  readonly log: string;
  readonly fault?: Fault;
}

/** A call that changes files. */
export interface Call {
  readonly at: number;
  /** Node's name for the function. */
  readonly op: string;
  readonly path: string;
  /** Whether it needs disk space. */
  readonly makes: boolean;
  /** Lines of our modules that wait for it, innermost first: `dist/input/io/scratch.js:67`. */
  readonly sites: readonly string[];
}

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Calls recorded so far. */
  readonly noted: () => readonly Call[];
  /** What it printed so far. */
  readonly out: () => string;
  readonly err: () => string;
}

const INJECT = join(ROOT, "test/support/faults/inject.cjs");
/** Separate modules, whose lines appear in a stack; and the bundle that users run. */
const [MODULES, PROGRAM] = [join(ROOT, "dist/apps/cli/main.js"), join(ROOT, "bin/logratio.js")];

const running = new Set<ChildProcess>();

/** Ends programs that a failed check left running. */
export function endPrograms(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** Starts the program, undisturbed if there is no injection. */
export function startProgram(
  directory: string,
  args: readonly string[],
  injection?: Injection,
  env: Readonly<Record<string, string>> = {},
): Started {
  if (injection !== undefined) rmSync(injection.log, { force: true });
  const isListing = injection !== undefined && injection.fault === undefined;
  const child = spawn(process.execPath, [isListing ? MODULES : PROGRAM, ...args], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ...{ NO_COLOR: "1", COLUMNS: "100", ...env },
      ...(injection && {
        NODE_OPTIONS: `--require ${JSON.stringify(INJECT)}`,
        LOGRATIO_FAULT: JSON.stringify(injection),
      }),
    },
  });
  running.add(child);
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    err += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (status, signal) => {
      running.delete(child);
      resolve({ status, signal, out, err });
    });
  });
  return {
    child,
    ended,
    noted: () => (injection === undefined ? [] : readCalls(injection.log)),
    out: () => out,
    err: () => err,
  };
}

function readCalls(log: string): Call[] {
  if (!existsSync(log)) return [];
  return readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Call);
}

/** Kinds of faults that a call can meet. */
export function kindsFor({ op, makes }: Call): FaultKind[] {
  const kinds: FaultKind[] = ["kill-before", "kill-after", "eio", "bug"];
  if (makes) kinds.push("enospc", "full");
  if (/^(?:write|append)/.test(op)) kinds.push("kill-half", "short");
  return kinds;
}

/** Describes a fault for the message of a failed check. */
export function describeFault({ kind, times = 1 }: Fault, call: Call | undefined): string {
  const where =
    call === undefined ? "no call" : `${call.op} ${call.path} (call ${call.at}, ${call.sites[0]})`;
  return `${kind}${times === 1 ? "" : ` × ${times}`} at ${where}`;
}
