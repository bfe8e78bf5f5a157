/**
 * One server per directory: two would give their segments the same numbers.
 *
 * A lock is a file that its holder creates with its content in one step, only if there is none. A lock whose holder is
 * gone is replaced by one process at a time: the one that holds the lock's own lock, named after its content, and that
 * finds the content unchanged. So a slow process never takes a lock that was replaced in the meantime.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto";
import { link, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileSystemError, isSystemError, UsageError } from "../../../core/base/index.ts";

interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When the process started, by the kernel's clock: process ids are reused. */
  readonly started: string;
  /** Distinguishes this lock from every other; absent in locks of older versions. */
  readonly id?: string;
}

/** How long to wait for another process that is replacing the lock. */
const MOST_TRIES = 500;
const RETRY_MS = 20;
/** A lock is taken within seconds: an older file for it was left behind. */
const LEFT_MS = 3_600_000;
/** File systems without hard links. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/**
 * @returns releases the lock
 * @throws UsageError if a running server is using the directory
 * @throws FileSystemError if the system refuses
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, ".serve.lock");
  const own: Holder = {
    ...{ host: hostname(), pid: process.pid, started: await startTime("self") },
    id: randomBytes(16).toString("hex"),
  };
  const text = JSON.stringify(own);
  const temporary = `${path}.${own.id}.tmp`;
  try {
    await writeFile(temporary, text, { flag: "wx" });
    const holder = await takeLock(path, temporary, text);
    if (holder !== undefined)
      throw new UsageError(
        `${directory} is already served by process ${holder.pid}${holder.host === own.host ? "" : ` on ${holder.host}`}`,
        { hint: `end that server, or remove ${path} if it is gone` },
      );
  } catch (cause) {
    throw fileSystemError(cause, "write", { file: path });
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
  await removeLeftovers(directory, path);
  return async () => {
    // It may have been removed by hand, and another server may have created its own.
    if ((await readLock(path)) === text) await rm(path, { force: true });
  };
}

/**
 * Takes the lock `path`.
 *
 * @param temporary a file with `text`, the content of the lock
 * @returns the current holder; undefined if the lock was taken
 */
async function takeLock(path: string, temporary: string, text: string): Promise<Holder | undefined> {
  for (let tries = 0; ; tries++) {
    if (await createLock(path, temporary, text)) return undefined;
    const found = await readLock(path);
    if (found === undefined) continue;
    const holder = parseHolder(found);
    if (holder !== undefined && (await mayRun(holder))) return holder;
    const guard = `${path}.${createHash("sha256").update(found).digest("hex").slice(0, 16)}`;
    const other = await takeLock(guard, temporary, text);
    if (other === undefined) {
      try {
        if ((await readLock(path)) === found) {
          await replaceLock(path, text);
          return undefined;
        }
      } finally {
        await rm(guard, { force: true });
      }
    } else if (tries >= MOST_TRIES) return other;
    await sleep(RETRY_MS);
  }
}

/**
 * Removes files left by a process that was killed while it took the lock, or a guard of it. Files of processes that may
 * still run stay, as do, for an hour, those of unknown processes: another server may be about to link to its own.
 */
async function removeLeftovers(directory: string, path: string): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(directory).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const file = join(directory, name);
    const holder = parseHolder(await readFile(file, "utf8").catch(() => ""));
    const isLeft = holder?.host === hostname() ? !(await mayRun(holder)) : await isOld(file);
    // The next start tries again.
    if (isLeft) await rm(file, { force: true }).catch(() => {});
  }
}

async function isOld(file: string): Promise<boolean> {
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return Date.now() - mtimeMs > LEFT_MS;
}

/** Creates the lock, if there is none, with its complete content at once. */
async function createLock(path: string, temporary: string, text: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    if (cause.code === "EEXIST") return false;
    if (!NO_LINKS.has(cause.code)) throw cause;
  }
  try {
    await writeFile(path, text, { flag: "wx" });
    return true;
  } catch (cause) {
    if (isSystemError(cause) && cause.code === "EEXIST") return false;
    throw cause;
  }
}

async function replaceLock(path: string, text: string): Promise<void> {
  const next = `${path}.${randomBytes(16).toString("hex")}.tmp`;
  try {
    await writeFile(next, text, { flag: "wx" });
    await rename(next, path);
  } finally {
    await rm(next, { force: true });
  }
}

/** Its content; undefined if it no longer exists. */
async function readLock(path: string): Promise<string | undefined> {
  for (let tries = 0; ; tries++) {
    try {
      const text = await readFile(path, "utf8");
      // Without hard links, another process may be writing it.
      if (parseHolder(text) !== undefined || tries >= 5) return text;
    } catch (cause) {
      if (isSystemError(cause) && cause.code === "ENOENT") return undefined;
      throw cause;
    }
    await sleep(RETRY_MS);
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { host, pid } = JSON.parse(text) as Holder;
    return typeof host === "string" && Number.isInteger(pid) ? (JSON.parse(text) as Holder) : undefined;
  } catch {
    // Truncated by a power cut.
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

/** Empty if there is no /proc: then only the process id counts. */
async function startTime(pid: number | "self"): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The program's name, in brackets, may hold spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // A process that has ended but whose parent has not collected its status.
  return fields[0] === "Z" ? "ended" : (fields[19] ?? "");
}
