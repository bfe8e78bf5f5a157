// node peak-memory.mjs PATH…: reads the paths as one run and prints the most memory that the process ever held, in
// bytes, or nothing where there is no /proc. A process of its own for each measurement, because a peak never goes down;
// and not `resourceUsage().maxRSS`, in which a new process takes over the peak of the one that started it.
import { existsSync, readFileSync } from "node:fs";
import { openRun } from "../../dist/input/ingest/index.js";

const paths = process.argv.slice(2);
if (paths.length > 0) {
  const run = await openRun(paths);
  for await (const _ of run.batches());
}
if (existsSync("/proc/self/status"))
  console.log(1024 * Number(readFileSync("/proc/self/status", "utf8").match(/VmHWM:\s+(\d+)/)[1]));
