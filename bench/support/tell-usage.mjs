// node --import tell-usage.mjs PROGRAM: when the process ends, the file that LOGRATIO_USAGE names says what it took: CPU
// seconds, and the most memory that it ever held in bytes (null where there is no /proc).
import { existsSync, readFileSync, writeFileSync } from "node:fs";

process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const status = "/proc/self/status";
  const peak = existsSync(status)
    ? 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, "utf8"))[1])
    : null;
  writeFileSync(process.env.LOGRATIO_USAGE, JSON.stringify({ cpu: (user + system) / 1e6, peak }));
});
