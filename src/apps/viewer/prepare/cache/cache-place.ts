/**
 * Where caches are kept.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { lstat, readdir, rm, stat } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { FileSystemError, fileSystemError, isSystemError } from "../../../../core/base/index.ts";
import { createScratch, makeDirectory, type Scratch } from "../../../../input/io/index.ts";
import { isRemote } from "../../../../input/remote/index.ts";
import { brokenSeal, syncDirectory } from "./seal.ts";

const HIDDEN = ".logratio";
/** How often a cache that is replaced during its check is checked again. */
const MOST_LOOKS = 5;

/** Receives a line about a cache, for the terminal. */
export type CacheNotice = (message: string) => void;

/** Next to the data, else in the user's cache directory (XDG base directory specification); only `wanted` if given. */
export async function cachePlaces(paths: readonly string[], wanted: string | undefined): Promise<string[]> {
  if (wanted !== undefined) return [resolve(wanted)];
  if (isRemote(paths[0]!)) return [homePlace(paths[0]!)];
  const first = resolve(paths[0]!);
  const isDirectory = await stat(first).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  const folder = isDirectory ? first : dirname(first);
  return [join(folder, HIDDEN, "view"), homePlace(folder)];
}

/** In the user's own cache directory. */
function homePlace(folder: string): string {
  const home = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  return join(home, "logratio", "view", name);
}

/** For input that can be read only once. */
export function throwawayPlaces(): string[] {
  return [join(tmpdir(), "logratio-view")];
}

/**
 * Opens a finished cache of this name in any of the places. One whose files do not match what was written is reported,
 * removed where possible, and not opened.
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
        // Another viewer has removed it meanwhile, for a newer one.
        if (!isSystemError(error)) throw error;
      });
      if (opened !== undefined) return opened;
      continue;
    }
    tell(
      `the viewer's cache ${directory} does not match what was written (${broken}): it is discarded and rebuilt`,
    );
    await rm(directory, { recursive: true, force: true }).catch(() => {});
  }
  return undefined;
}

/** Why a directory is not an intact cache; undefined if it is. */
async function brokenCache(directory: string): Promise<string | "absent" | undefined> {
  for (let look = 1; ; look++) {
    const before = await readIdentity(directory);
    if (before === undefined) return "absent";
    const broken = await brokenSeal(directory);
    if (broken === undefined) return undefined;
    // Another viewer may have put a new one there during the check.
    if ((await readIdentity(directory)) === before || look === MOST_LOOKS) return broken;
  }
}

async function readIdentity(path: string): Promise<string | undefined> {
  return lstat(path, { bigint: true }).then(
    ({ dev, ino, birthtimeNs }) => `${dev} ${ino} ${birthtimeNs}`,
    () => undefined,
  );
}

/** A new cache, and the result of `build`. */
export interface MadeCache<T> {
  /** To be published, or removed. */
  readonly temporary: Scratch;
  readonly made: T;
}

/**
 * Builds a cache in an empty directory in the first writable place.
 *
 * @throws FileSystemError if none is writable; otherwise what `build` throws
 */
export async function makeCache<T>(
  places: readonly string[],
  build: (temporary: string) => Promise<T>,
  tell: CacheNotice = () => {},
): Promise<MadeCache<T>> {
  let failure: unknown;
  for (const [at, place] of places.entries()) {
    const temporary = await temporaryIn(place).catch((error: unknown) => {
      failure ??= error;
    });
    if (temporary === undefined) continue;
    try {
      return { temporary, made: await build(temporary.path) };
    } catch (error) {
      await temporary.remove();
      if (!isOfWriting(error, place)) throw error;
      failure ??= error;
      const next = places[at + 1];
      // Explains the second attempt to someone who waited for the first.
      if (next !== undefined)
        tell(`${fileSystemError(error, "write to", { file: place }).message}: trying ${next}`);
    }
  }
  throw unwritable(places, failure);
}

/** An empty directory in the first writable place. @throws FileSystemError if none is writable */
export async function temporaryCache(places: readonly string[]): Promise<Scratch> {
  return (await makeCache(places, () => Promise.resolve())).temporary;
}

async function temporaryIn(place: string): Promise<Scratch> {
  makeDirectory(place);
  return createScratch(place);
}

/** Whether the system refused to write below a place; read errors are about the data. */
function isOfWriting(error: unknown, place: string): boolean {
  if (!isSystemError(error) || error.syscall === "read") return false;
  return error.path === undefined || error.syscall === "mkdir" || error.path.startsWith(place);
}

function unwritable(places: readonly string[], failure: unknown): FileSystemError {
  const { message, likely } = fileSystemError(failure, "write to", { file: places[0]! });
  return new FileSystemError(`the viewer's cache cannot be written to ${places.join(" or ")}`, {
    cause: failure,
    at: { file: places[0]! },
    likely: likely === undefined ? message : `${message}: ${likely}`,
    hint: "name a writable directory on a disk with free space: --cache DIR",
  });
}

/** A system error during writing, in words; other errors unchanged. */
export function cacheError(error: unknown, directory: string): unknown {
  return isOfWriting(error, directory) ? unwritable([dirname(directory)], error) : error;
}

/** Gives a finished cache its name; if another process was faster, its cache is kept. */
export async function publishCache(temporary: Scratch, name: string): Promise<string> {
  const place = dirname(temporary.path);
  const directory = join(place, name);
  try {
    await temporary.publish(directory);
  } catch (error) {
    if ((await brokenCache(directory)) === undefined) {
      await temporary.remove();
    } else {
      await rm(directory, { recursive: true, force: true });
      await temporary.publish(directory).catch(() => {
        throw unwritable([place], error);
      });
    }
  }
  await syncDirectory(place);
  return directory;
}

/** Removes caches of earlier states of the same input. */
export async function dropOldCaches(directory: string, key: string): Promise<void> {
  const place = dirname(directory);
  for (const name of await readdir(place).catch(() => [])) {
    const path = join(place, name);
    if (path === directory || !name.startsWith(key)) continue;
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}
