/**
 * Temporary files and directories: they have unguessable names, are always newly created, and are removed when the
 * process ends or, if it was killed, by the next one that writes there.
 *
 * A name identifies its maker: the machine (with its boot and its process namespace, as a hash), the process, a random
 * part. A file of a process on this machine is a leftover once that process is gone. Whether a process of another
 * machine on a shared file system still runs is not known: its files are leftovers a day after their last change.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync, rmSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileSystemError } from "../../core/base/index.ts";
import { admitOwn } from "./confinement.ts";
import { cleanOnInterrupt } from "./interrupts.ts";

const NAME = /^\.?logratio-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}(?:\.tmp)?$/;
const A_DAY_MS = 24 * 3600 * 1000;

/** A directory that only this process uses. */
export interface Scratch {
  readonly path: string;
  /**
   * Gives the directory its final name, where at most an empty directory may exist; it then stays.
   *
   * @throws FileSystemError where the system refuses; the directory then keeps its temporary name
   */
  publish(target: string): Promise<void>;
  /** Removes it with its content, unless it was published; never throws. */
  remove(): Promise<void>;
}

/** A file that is written under a temporary name next to its final one. */
export interface TemporaryFile {
  readonly path: string;
  /** Open for reading and writing; {@link commit} closes it. */
  readonly file: FileHandle;
  /**
   * Gives the file its final name, replacing any existing file.
   *
   * @throws FileSystemError where the system refuses; the temporary file is then removed
   */
  commit(): Promise<void>;
  /** Closes and removes it, unless it has its final name; never throws. */
  discard(): Promise<void>;
}

/**
 * Makes a directory that only this user may enter, below the system's temporary directory unless `where` says otherwise.
 *
 * @throws FileSystemError or NotFoundError where the system refuses
 */
export async function createScratch(where: string = tmpdir()): Promise<Scratch> {
  await removeLeftovers(where);
  const isSystems = resolve(where) === resolve(tmpdir());
  const path = join(resolve(where), isSystems ? freshName() : `.${freshName()}.tmp`);
  const forget = remember(path);
  try {
    // Not recursive: this fails if the name exists, and never makes the parent.
    await mkdir(path, { mode: 0o700 });
    admitOwn(path);
  } catch (cause) {
    forget();
    throw fileSystemError(cause, "make a temporary directory in", { file: where });
  }
  let isPublished = false;
  return {
    path,
    async publish(target) {
      await rename(path, target).catch((cause: unknown) => {
        throw fileSystemError(cause, "write", { file: target });
      });
      isPublished = true;
      forget();
    },
    async remove() {
      if (isPublished) return;
      await removeQuietly(path);
      forget();
    },
  };
}

/**
 * Opens a file next to `target`, which takes that name when it is complete: readers never see half of it.
 *
 * @throws FileSystemError or NotFoundError where the system refuses
 */
export async function createTemporaryFile(target: string): Promise<TemporaryFile> {
  const at = { file: target };
  const directory = dirname(resolve(target));
  await removeLeftovers(directory);
  const path = join(directory, `.${freshName()}.tmp`);
  const forget = remember(path);
  const file = await open(path, "wx+").catch((cause: unknown) => {
    forget();
    throw fileSystemError(cause, "write", at);
  });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) {
      isOpen = false;
      await file.close();
    }
  };
  const discard = async (): Promise<void> => {
    await close().catch(() => {});
    await removeQuietly(path);
    forget();
  };
  return {
    path,
    file,
    async commit() {
      try {
        // Some file systems (NFS, quotas) report a failed write only on close.
        await close();
        await rename(path, target);
        forget();
      } catch (cause) {
        await discard();
        throw fileSystemError(cause, "write", at);
      }
    },
    discard,
  };
}

const swept = new Map<string, Promise<void>>();

/** Removes what killed processes left in a directory; runs once per directory, and never fails. */
export function removeLeftovers(directory: string): Promise<void> {
  const path = resolve(directory);
  let sweep = swept.get(path);
  if (sweep === undefined) {
    sweep = sweepDirectory(path);
    swept.set(path, sweep);
  }
  return sweep;
}

async function sweepDirectory(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => [] as string[]);
  for (const name of names) {
    const path = join(directory, name);
    if (await isLeftover(name, path)) await removeQuietly(path);
  }
}

async function isLeftover(name: string, path: string): Promise<boolean> {
  const [, machine, pid] = NAME.exec(name) ?? [];
  if (machine === undefined) return false;
  if (machine === machineTag()) return !isRunning(Number(pid));
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > A_DAY_MS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, as another user's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function freshName(): string {
  return `logratio-${machineTag()}-${process.pid}-${randomBytes(8).toString("hex")}`;
}

let tag: string | undefined;

/** Identifies the scope of process ids: one boot of one machine, one process namespace. */
function machineTag(): string {
  tag ??= createHash("sha256")
    .update([hostname(), orEmpty(readBoot), orEmpty(readNamespace)].join("\n"))
    .digest("hex")
    .slice(0, 8);
  return tag;
}

const readBoot = (): string => readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
const readNamespace = (): string => readlinkSync("/proc/self/ns/pid");

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

const alive = new Set<string>();
let unlisten: (() => void) | undefined;

function removeAll(): void {
  for (const path of alive) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // The next process that writes there tries again.
    }
  }
}

/** Removes the path if the process ends before the path is forgotten. */
function remember(path: string): () => void {
  alive.add(path);
  if (unlisten === undefined) {
    process.on("exit", removeAll);
    const off = cleanOnInterrupt(removeAll);
    unlisten = () => {
      process.off("exit", removeAll);
      off();
    };
  }
  return () => {
    alive.delete(path);
    if (alive.size > 0) return;
    unlisten?.();
    unlisten = undefined;
  };
}

async function removeQuietly(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => {});
}
