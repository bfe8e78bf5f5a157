// node --import tell-usage.mjs PROGRAM: when the process ends, writes its CPU seconds and its peak memory in bytes
// (null without /proc) to the file that LOGRATIO_USAGE names.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const status = "/proc/self/status";
  const peak = existsSync(status)
    ? 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, "utf8"))[1])
    : null;
  writeFileSync(process.env.LOGRATIO_USAGE, JSON.stringify({ cpu: (user + system) / 1e6, peak }));
});
