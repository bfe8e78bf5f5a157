/**
 * A process that reads one file after another, and is killed if one takes too long or too much memory.
 *
 * @module
 */
import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Verb } from "./cases.ts";

/** Limit on processor time: the machine may be busy with other things. */
const MOST_CPU_SECONDS = 10;
/** Limit on wall time: a promise that never settles uses no processor time. */
const MOST_WALL_SECONDS = 60;
/** Limit on memory beyond what the child took before its first file. */
const MOST_BYTES = 2 ** 30;
const POLL_MS = 100;
/** Limits how much earlier files leave in the heap, which would count against later ones. */
const FILES_PER_CHILD = 400;
/** USER_HZ, which is 100 on every Linux that Node runs on. */
const TICKS = 100;

export interface Task {
  readonly verb: Verb;
  readonly path: string;
  /** A valid file, and whether to read both together too. */
  readonly good: string;
  readonly beside: boolean;
}

export interface Outcome {
  /** What went wrong; undefined if nothing did. */
  readonly problem: string | undefined;
  /** Tag of the error that ended the reading, if any. */
  readonly tag: string | undefined;
  readonly cpuSeconds: number;
  /** Memory beyond the child's own. */
  readonly bytes: number;
}

interface Answer {
  readonly ready?: boolean;
  readonly problem?: string;
  readonly tag?: string;
  readonly peak: number;
  readonly resident: number;
}

/** Processor time and resident bytes of a process; undefined without /proc. */
function usage(pid: number): { readonly cpuSeconds: number; readonly bytes: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS, bytes: Number(kib ?? 0) * 1024 };
  } catch {
    return undefined;
  }
}

export class WatchedChild {
  readonly #directory: string;
  #child: ChildProcess | undefined;
  #base = 0;
  #files = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  close(): void {
    this.#child?.removeAllListeners();
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  async read(task: Task): Promise<Outcome> {
    if (this.#files >= FILES_PER_CHILD) this.close();
    if (this.#child === undefined) await this.#start(task);
    this.#files++;
    return this.#send(task);
  }

  async #start({ good }: Task): Promise<void> {
    const child = fork(fileURLToPath(new URL("child.mjs", import.meta.url)), [], {
      cwd: this.#directory,
      env: { ...process.env, NO_COLOR: "1" },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      execArgv: [],
    });
    child.stderr!.on("data", () => {});
    this.#child = child;
    this.#files = 0;
    await new Promise<void>((resolve, reject) => {
      child.once("message", () => resolve());
      child.once("exit", () => reject(new Error("a child did not start: run npm run build first")));
    });
    child.removeAllListeners("exit");
    // Code and engines are loaded with the first file and belong to the base.
    await this.#send({ verb: "report", path: good, good, beside: false });
    this.#base = usage(child.pid!)?.bytes ?? 0;
  }

  #send(task: Task): Promise<Outcome> {
    const child = this.#child!;
    const before = usage(child.pid!)?.cpuSeconds ?? 0;
    const start = Date.now();
    let seen = 0;
    return new Promise((resolve) => {
      const end = (problem: string | undefined, tag: string | undefined, bytes: number): void => {
        clearInterval(poll);
        child.removeAllListeners("message");
        child.removeAllListeners("exit");
        const cpuSeconds = (usage(child.pid!)?.cpuSeconds ?? before) - before;
        resolve({ problem, tag, cpuSeconds, bytes });
      };
      const stop = (problem: string): void => {
        end(problem, undefined, seen);
        this.close();
      };
      const poll = setInterval(() => {
        const now = usage(child.pid!);
        seen = Math.max(seen, (now?.bytes ?? 0) - this.#base);
        const wall = (Date.now() - start) / 1000;
        const cpu = now === undefined ? wall : now.cpuSeconds - before;
        if (cpu > MOST_CPU_SECONDS) stop(`it took more than ${MOST_CPU_SECONDS} s of processor time`);
        else if (wall > MOST_WALL_SECONDS) stop(`it had not ended after ${MOST_WALL_SECONDS} s`);
        else if (this.#base > 0 && seen > MOST_BYTES) stop(`it took more than ${MOST_BYTES} bytes`);
      }, POLL_MS);
      child.on("message", ({ problem, tag, peak }: Answer) => {
        const bytes = Math.max(seen, this.#base === 0 ? 0 : peak - this.#base);
        end(problem ?? (bytes > MOST_BYTES ? `it took ${bytes} bytes at its peak` : undefined), tag, bytes);
      });
      child.on("exit", (code, signal) => {
        this.#child = undefined;
        end(`the process ended: ${signal ?? `exit ${code}`}`, undefined, seen);
      });
      child.send(task);
    });
  }
}
