/**
 * Measures the built command line as a process: processor time (wall time says more about the machine's other work) and
 * peak resident memory, which the process reads about itself on exit.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./run-cli.ts";

export interface MeasuredRun {
  /** Null if it was killed. */
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
  /** User and system time of all threads; NaN if it was killed. */
  readonly cpuSeconds: number;
  /** Bytes; NaN if it was killed. */
  readonly peakBytes: number;
}

const REPORT = `process.on("exit", () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  require("node:fs").writeSync(3, JSON.stringify([maxRSS * 1024, (userCPUTime + systemCPUTime) / 1e6]));
});`;
const HOOK = `data:text/javascript,import { createRequire } from "node:module"; const require = createRequire("file:///"); ${REPORT}`;

/** @param limitMs time after which it is killed */
export function runMeasured(
  directory: string,
  args: readonly string[],
  limitMs: number,
): Promise<MeasuredRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ["--import", HOOK.replaceAll("\n", " "), join(ROOT, "bin/logratio.js"), ...args],
      {
        cwd: directory,
        env: { ...process.env, NO_COLOR: "1", COLUMNS: "100" },
        stdio: ["ignore", "pipe", "pipe", "pipe"],
      },
    );
    const texts = ["", "", "", ""];
    for (const fd of [1, 2, 3]) {
      child.stdio[fd]!.on("data", (chunk: Buffer) => {
        texts[fd] += chunk.toString("utf8");
      });
    }
    const timer = setTimeout(() => child.kill("SIGKILL"), limitMs);
    child.on("error", reject);
    child.on("close", (status) => {
      clearTimeout(timer);
      const [peakBytes, cpuSeconds] = (texts[3] === "" ? [] : JSON.parse(texts[3]!)) as number[];
      resolve({
        status,
        out: texts[1]!,
        err: texts[2]!,
        cpuSeconds: cpuSeconds ?? Number.NaN,
        peakBytes: peakBytes ?? Number.NaN,
      });
    });
  });
}
