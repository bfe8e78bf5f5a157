/**
 * The built command line as a watched process: how long it runs, and its peak memory.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./run-cli.ts";

/** Node itself, the program's code, and buffers of the reader that do not grow with the file. */
const BASE_BYTES = 200 * 2 ** 20;

/**
 * Memory that a process may take to hold `limit` MiB of decoded values: a quarter more for garbage not yet collected,
 * plus the base of an empty process.
 */
export function peakBytes(limit: number): number {
  return 1.25 * limit * 2 ** 20 + BASE_BYTES;
}

export interface LimitedRun {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
  /** Whether it was killed for exceeding its time. */
  readonly timedOut: boolean;
  /** Largest resident size seen, in bytes; 0 without /proc. */
  readonly peakBytes: number;
}

const POLL_MS = 25;

function readPeak(pid: number): number {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kib ?? 0) * 1024;
  } catch {
    return 0;
  }
}

export interface RunLimits {
  /** Default 60 s: six times what a refusal may take, for a machine that is busy with other tests. */
  readonly wallMs?: number;
  /** Limit on open files (`ulimit -n`). */
  readonly openFiles?: number;
  /** User to run as; needs root. */
  readonly uid?: number;
  /** Shell words behind `logratio` instead of `args`: `report <(cat a.jsonl)`. */
  readonly shell?: string;
}

/** Runs `logratio ARGS` in a directory. */
export function runLimited(
  directory: string,
  args: readonly string[],
  { wallMs = 60_000, openFiles, uid, shell }: RunLimits = {},
): Promise<LimitedRun> {
  const main = join(ROOT, "bin/logratio.js");
  if (!existsSync(join(ROOT, "dist/apps/cli/main.js"))) throw new Error("build first: npm run build");
  const words = [process.execPath, main, ...args];
  const limit = openFiles === undefined ? "" : `ulimit -n ${openFiles} && `;
  // Without exec when the shell has more to do, the shell's own memory would be watched instead.
  const script = `${limit}exec ${shell === undefined ? '"$@"' : `"$@" ${shell}`}`;
  const isPlain = openFiles === undefined && shell === undefined;
  const [command, ...rest] = isPlain ? words : ["bash", "-c", script, "bash", ...words];
  const child = spawn(command!, rest, {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", COLUMNS: "100" },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  let out = "";
  let err = "";
  let peakBytes = 0;
  let timedOut = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const poll = setInterval(() => {
    peakBytes = Math.max(peakBytes, readPeak(child.pid!));
  }, POLL_MS);
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill("SIGKILL");
  }, wallMs);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => {
      clearInterval(poll);
      clearTimeout(timer);
      resolve({ status, out, err, timedOut, peakBytes });
    });
  });
}
