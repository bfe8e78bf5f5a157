/**
 * The alerts of a run, stored next to its caches: a watching process writes them, and every viewer shows them.
 *
 * @module
 */
import { readFile, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { makeDirectory, writeWholeFile } from "../../../../input/io/index.ts";
import { isRemote } from "../../../../input/remote/index.ts";
import type { AlertList, RaisedAlert } from "../../../../results/alerts.ts";
import { cachePlaces } from "./cache-place.ts";
import { digest } from "./inputs.ts";

/** Named by the run's path relative to its caches, so that a run moved with them keeps its alerts. */
export function alertListFile(place: string, paths: readonly string[]): string {
  return join(place, `alerts-${digest(seenFrom(place, paths))}.json`);
}

/** The paths of a run as seen from a place. */
export function seenFrom(place: string, paths: readonly string[]): string[] {
  return paths.map((path) => (isRemote(path) || path === "-" ? path : relative(place, resolve(path))));
}

/** Empty if there is no such file, or it is not a list. */
export async function readAlertList(file: string): Promise<AlertList> {
  const none: AlertList = { schemaVersion: 1, kind: "view-alerts", alerts: [] };
  try {
    const read = JSON.parse(await readFile(file, "utf8")) as AlertList | null;
    return read?.kind === "view-alerts" && Array.isArray(read.alerts) ? read : none;
  } catch {
    return none;
  }
}

/** Changes when the list does; empty if there is none. */
export async function stampAlertList(file: string): Promise<string> {
  return stat(file, { bigint: true }).then(
    ({ ino, size, mtimeNs }) => `${ino} ${size} ${mtimeNs}`,
    () => "",
  );
}

/**
 * Writes the list where the caches of these paths are kept: the first writable place.
 *
 * @param cache as `PrepareOptions.cache`
 * @throws FileSystemError if there is none
 */
export async function writeAlertList(
  paths: readonly string[],
  cache: string | undefined,
  alerts: readonly RaisedAlert[],
): Promise<void> {
  const list: AlertList = { schemaVersion: 1, kind: "view-alerts", alerts };
  let failure: unknown;
  for (const place of await cachePlaces(paths, cache)) {
    try {
      makeDirectory(place);
      await writeWholeFile(alertListFile(place, paths), JSON.stringify(list));
      return;
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}
