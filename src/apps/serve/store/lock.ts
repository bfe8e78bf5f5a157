/**
 * One server per directory: two would give their segments the same numbers.
 *
 * @module
 */
import { readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileSystemError, isSystemError, UsageError } from "../../../core/base/index.ts";

interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When the process started, by the kernel's clock: process ids are reused. */
  readonly started: string;
}

/**
 * @returns releases the lock
 * @throws UsageError when a running server has the directory
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, ".serve.lock");
  const own: Holder = { host: hostname(), pid: process.pid, started: await startTime("self") };
  for (let tries = 0; ; tries++) {
    try {
      await writeFile(path, JSON.stringify(own), { flag: "wx" });
      return () => rm(path, { force: true });
    } catch (cause) {
      if (!isSystemError(cause) || cause.code !== "EEXIST" || tries > 1)
        throw fileSystemError(cause, "write", { file: path });
    }
    const holder = await readHolder(path);
    if (holder !== undefined && (await mayRun(holder))) {
      throw new UsageError(
        `${directory} is already served by process ${holder.pid}${holder.host === own.host ? "" : ` on ${holder.host}`}`,
        { hint: `end that server, or remove ${path} if it is gone` },
      );
    }
    await rm(path, { force: true });
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Holder;
  } catch {
    // Cut off by a kill, or removed meanwhile.
    return undefined;
  }
}

/** Whether the holder may be running; assumed so on another machine. */
async function mayRun({ host, pid, started }: Holder): Promise<boolean> {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return (await startTime(pid)) === started;
}

/** Empty where there is no /proc: then only the process id counts. */
async function startTime(pid: number | "self"): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The program's name, in brackets, may hold spaces.
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}
