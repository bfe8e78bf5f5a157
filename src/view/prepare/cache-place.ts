/**
 * Where caches are kept.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readlinkSync } from "node:fs";
import { lstat, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { homedir, hostname, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { FileSystemError } from "../../base/errors.ts";
import { fileSystemError, isSystemError } from "../../io/file-system-errors.ts";
import { makeDirectory } from "../../io/make-directory.ts";
import { brokenSeal, syncDirectory } from "./seal.ts";

/** What opening a cache has to know that no answer says. */
export const CACHE_FACTS = "cache.json";
const HIDDEN = ".logratio";
const TEMPORARY = ".tmp-";
/** What is left of another machine's process goes after a day. */
const ABANDONED_MS = 86_400_000;
/** A cache that others replace while it is looked at is looked at again. */
const MOST_LOOKS = 5;

/** Tells whoever runs the viewer what came of a cache, in one line. */
export type CacheNotice = (message: string) => void;

/** Beside the data, else in the user's cache directory (XDG base directory specification); only `wanted` if given. */
export async function cachePlaces(paths: readonly string[], wanted: string | undefined): Promise<string[]> {
  if (wanted !== undefined) return [resolve(wanted)];
  const first = resolve(paths[0]!);
  const isDirectory = await stat(first).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  const folder = isDirectory ? first : dirname(first);
  const home = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  return [join(folder, HIDDEN, "view"), join(home, "logratio", "view", name)];
}

/** For what can be read only once. */
export function throwawayPlaces(): string[] {
  return [join(tmpdir(), "logratio-view")];
}

/**
 * A finished cache of this name in any of the places, opened. One whose files are not what was written is said to be,
 * taken away where that may be done, and not opened.
 */
export async function openCache<T>(
  places: readonly string[],
  name: string,
  open: (directory: string) => Promise<T>,
  tell: CacheNotice = () => {},
): Promise<T | undefined> {
  for (const place of places) {
    const directory = join(place, name);
    const broken = await brokenCache(directory);
    if (broken === "absent") continue;
    if (broken === undefined) {
      const opened = await open(directory).catch((error: unknown) => {
        // Another viewer has taken it away meanwhile, for a newer one.
        if (!isSystemError(error)) throw error;
      });
      if (opened !== undefined) return opened;
      continue;
    }
    tell(
      `the viewer's cache ${directory} does not match what was written (${broken}): it is not used, and made anew`,
    );
    await rm(directory, { recursive: true, force: true }).catch(() => {});
  }
  return undefined;
}

/** Why a directory is no cache to believe; undefined where it is one. */
async function brokenCache(directory: string): Promise<string | "absent" | undefined> {
  for (let look = 1; ; look++) {
    const before = await identityOf(directory);
    if (before === undefined) return "absent";
    const broken = await brokenSeal(directory);
    if (broken === undefined) return undefined;
    // Another viewer may have put a whole one there while this one looked.
    if ((await identityOf(directory)) === before || look === MOST_LOOKS) return broken;
  }
}

async function identityOf(path: string): Promise<string | undefined> {
  return lstat(path, { bigint: true }).then(
    ({ dev, ino, birthtimeNs }) => `${dev} ${ino} ${birthtimeNs}`,
    () => undefined,
  );
}

/** A cache that was made, and what `build` gave of it. */
export interface MadeCache<T> {
  readonly temporary: string;
  readonly made: T;
}

/**
 * Builds a cache in an empty directory in the first of the places that takes it.
 *
 * @throws FileSystemError when none does; what `build` throws otherwise
 */
export async function makeCache<T>(
  places: readonly string[],
  key: string,
  build: (temporary: string) => Promise<T>,
  tell: CacheNotice = () => {},
): Promise<MadeCache<T>> {
  let failure: unknown;
  for (const [at, place] of places.entries()) {
    let temporary: string | undefined;
    try {
      temporary = await temporaryIn(place, key);
      return { temporary, made: await build(temporary) };
    } catch (error) {
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
      if (!isOfWriting(error, place)) throw error;
      failure ??= error;
      const next = places[at + 1];
      // Whoever waited for the first one is told why there is a second one.
      if (temporary !== undefined && next !== undefined)
        tell(`${fileSystemError(error, "write to", { file: place }).message}: trying ${next}`);
    }
  }
  throw unwritable(places, failure);
}

/** An empty directory in the first of the places that may be written to. @throws FileSystemError when none may */
export async function temporaryCache(places: readonly string[], key: string): Promise<string> {
  return (await makeCache(places, key, () => Promise.resolve())).temporary;
}

async function temporaryIn(place: string, key: string): Promise<string> {
  makeDirectory(place);
  await dropDeadCaches(place);
  return mkdtemp(join(place, `${key}${TEMPORARY}${machine()}-${process.pid}-`));
}

/** Whether the system refused to write below a place; what it says of reading is about the data. */
function isOfWriting(error: unknown, place: string): boolean {
  if (!isSystemError(error) || error.syscall === "read") return false;
  return error.path === undefined || error.syscall === "mkdir" || error.path.startsWith(place);
}

function unwritable(places: readonly string[], failure: unknown): FileSystemError {
  const { message, likely = message } = fileSystemError(failure, "write to", { file: places[0]! });
  return new FileSystemError(`the viewer's cache cannot be written to ${places.join(" or ")}`, {
    cause: failure,
    at: { file: places[0]! },
    likely,
    hint: "name a directory that may be written to, on a disk with room: --cache DIR",
  });
}

/** What the system said while a cache was written, in words; other errors as they are. */
export function cacheError(error: unknown, directory: string): unknown {
  return isOfWriting(error, directory) ? unwritable([dirname(directory)], error) : error;
}

/** Gives a finished cache its name; where another process was faster, its cache is as good. */
export async function publishCache(temporary: string, name: string): Promise<string> {
  const place = dirname(temporary);
  const directory = join(place, name);
  try {
    await rename(temporary, directory);
  } catch (error) {
    if ((await brokenCache(directory)) === undefined) {
      await rm(temporary, { recursive: true, force: true });
    } else {
      await rm(directory, { recursive: true, force: true });
      await rename(temporary, directory).catch(() => {
        throw cacheError(error, temporary);
      });
    }
  }
  await syncDirectory(place);
  return directory;
}

/** Takes away what this question's earlier states left, and what was never finished. */
export async function dropOldCaches(directory: string, key: string): Promise<void> {
  const place = dirname(directory);
  for (const name of await readdir(place).catch(() => [])) {
    const path = join(place, name);
    if (path === directory || !name.startsWith(key) || ownerOf(name) === "alive") continue;
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (name.includes(TEMPORARY) && age < ABANDONED_MS) continue;
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** What processes of this machine left that were killed, whatever they read. */
async function dropDeadCaches(place: string): Promise<void> {
  for (const name of await readdir(place).catch(() => []))
    if (ownerOf(name) === "dead")
      await rm(join(place, name), { recursive: true, force: true }).catch(() => {});
}

/** Whether the process still runs that a temporary cache is named for; undefined: nobody here can tell. */
function ownerOf(name: string): "alive" | "dead" | undefined {
  const [, of, pid] = /\.tmp-([0-9a-f]{8})-(\d+)-/.exec(name) ?? [];
  if (of !== machine()) return undefined;
  try {
    process.kill(Number(pid), 0);
    return "alive";
  } catch (error) {
    // It may run and belong to somebody else.
    return (error as NodeJS.ErrnoException).code === "ESRCH" ? "dead" : "alive";
  }
}

/** Where process ids mean the same: of the machine, or of the container in it. */
function machine(): string {
  let space = "";
  try {
    space = readlinkSync("/proc/self/ns/pid");
  } catch {
    // Only Linux has these.
  }
  return createHash("sha256").update(`${hostname()} ${space}`).digest("hex").slice(0, 8);
}
