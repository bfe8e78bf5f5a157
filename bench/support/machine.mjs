import { availableParallelism, cpus } from "node:os";

/** What a figure depends on beside the code. */
export function machine() {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown processor",
    threads: availableParallelism(),
    node: process.versions.node,
    v8: process.versions.v8,
    platform: `${process.platform} ${process.arch}`,
  };
}
