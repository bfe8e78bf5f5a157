/**
 * Where caches are kept.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { access, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { NotFoundError } from "../../base/errors.ts";

/** Written last: a directory without it is no cache. */
export const CACHE_FACTS = "cache.json";
const HIDDEN = ".logratio";
const TEMPORARY = ".tmp-";
/** What is left of a process that was killed goes after a day. */
const ABANDONED_MS = 86_400_000;

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

/** A finished cache of this name in any of the places. */
export async function findCache(places: readonly string[], name: string): Promise<string | undefined> {
  for (const place of places) {
    const directory = join(place, name);
    const found = await access(join(directory, CACHE_FACTS)).then(
      () => true,
      () => false,
    );
    if (found) return directory;
  }
  return undefined;
}

/**
 * An empty directory in the first of the places that may be written to.
 *
 * @throws NotFoundError when none may
 */
export async function temporaryCache(places: readonly string[], key: string): Promise<string> {
  let failure: unknown;
  for (const place of places) {
    try {
      await mkdir(place, { recursive: true });
      return await mkdtemp(join(place, `${key}${TEMPORARY}`));
    } catch (error) {
      failure ??= error;
    }
  }
  throw new NotFoundError(`the viewer's cache cannot be written to ${places.join(" or ")}`, {
    cause: failure,
    at: { file: places[0]! },
    likely: failure instanceof Error ? failure.message : String(failure),
    hint: "name a directory that may be written to: --cache DIR",
  });
}

/** For what can be read only once. */
export function throwawayPlaces(): string[] {
  return [join(tmpdir(), "logratio-view")];
}

/** Gives a finished cache its name; where another process was faster, its cache is as good. */
export async function publishCache(temporary: string, name: string): Promise<string> {
  const directory = join(dirname(temporary), name);
  try {
    await rename(temporary, directory);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if ((await findCache([dirname(temporary)], name)) === undefined) throw error;
  }
  return directory;
}

/** Takes away what this question's earlier states left, and what was never finished. */
export async function dropOldCaches(directory: string, key: string): Promise<void> {
  const place = dirname(directory);
  for (const name of await readdir(place).catch(() => [])) {
    const path = join(place, name);
    if (path === directory || !name.startsWith(key)) continue;
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (name.includes(TEMPORARY) && age < ABANDONED_MS) continue;
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}
