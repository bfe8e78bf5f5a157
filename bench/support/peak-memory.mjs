// node peak-memory.mjs PATH…: reads the paths as one run and prints the peak memory of the process in bytes, or nothing
// without /proc. Each measurement needs a separate process, because a peak never goes down. `resourceUsage().maxRSS` is
// no alternative: a new process inherits the peak of the one that started it.
import { existsSync, readFileSync } from "node:fs";
import { openRun } from "../../dist/ingest/index.js";

const paths = process.argv.slice(2);
if (paths.length > 0) {
  const run = await openRun(paths);
  for await (const _ of run.batches());
}
if (existsSync("/proc/self/status"))
  console.log(1024 * Number(readFileSync("/proc/self/status", "utf8").match(/VmHWM:\s+(\d+)/)[1]));
