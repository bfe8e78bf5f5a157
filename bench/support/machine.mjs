import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

/** What a figure depends on in addition to the code. */
export function machine() {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown processor",
    threads: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    /** One-minute load average before the run, which shows what else was running. */
    load: loadavg()[0],
    node: process.versions.node,
    v8: process.versions.v8,
    platform: `${process.platform} ${process.arch}`,
  };
}
