/**
 * Lists the runs of a data directory without opening them.
 *
 * @module
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { partName, partSegment, runPlaces, segmentNumber } from "../../../input/batch-log/index.ts";
import { isAbsence, statIfPresent } from "../../../input/io/index.ts";
import type { RaisedAlert } from "../../../results/alerts.ts";
import type { ServedFigures } from "../../../results/serve.ts";
import { readKeptAlerts } from "../../alerts/alert-watch.ts";
import { isRefused } from "../seal/refusals.ts";
import { runNameFromFolder } from "./run-name.ts";

export interface KnownRun {
  readonly name: string;
  readonly folder: string;
  figures: ServedFigures;
  /** Milliseconds since 1970; undefined where unknown. */
  lastWrite: number | undefined;
  refused: number;
  /** The last raised one last. */
  alerts: readonly RaisedAlert[];
  /** The last segment in the record; 0: none. */
  readonly lastPart: number;
  /** Whether a part is newer than the figures: the process was killed in between, or they could not be saved. */
  readonly areFiguresOld: boolean;
  /** Whether it has segments that have not been passed to the sealer. */
  isUnfinished: boolean;
}

const NO_FIGURES: ServedFigures = {
  sequences: 0,
  tokens: 0,
  first_step: null,
  last_step: null,
  verdict: null,
  recent: [],
  alarms: 0,
};

/** A run without data yet. */
export const NO_RUN: Omit<KnownRun, "name" | "folder"> = {
  figures: NO_FIGURES,
  lastWrite: undefined,
  refused: 0,
  alerts: [],
  lastPart: 0,
  areFiguresOld: false,
  isUnfinished: false,
};

/**
 * Folders written by a server; others in the directory are ignored.
 *
 * @param onTrouble called with the folder of a run that cannot be read
 */
export async function listRuns(
  directory: string,
  onTrouble: (folder: string, error: unknown) => void,
): Promise<KnownRun[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const known = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) =>
        readRun(directory, name).catch((error: unknown) => {
          // Not a run's folder.
          if (!isAbsence(error)) onTrouble(name, error);
          return undefined;
        }),
      ),
  );
  return known.filter((run) => run !== undefined);
}

async function readRun(directory: string, folder: string): Promise<KnownRun | undefined> {
  const name = runNameFromFolder(folder);
  if (name === undefined) return undefined;
  const places = runPlaces(join(directory, folder));
  const own = await readdir(places.own);
  const lastPart = Math.max(0, ...(await readdir(places.folder)).map((file) => partSegment(file) ?? 0));
  return {
    name,
    folder,
    figures: await readFigures(places.figures),
    lastWrite: await lastChange(places.folder, own.includes("keys") ? places.keys : places.own),
    refused: own.includes("refused") ? (await readdir(places.refused)).filter(isRefused).length : 0,
    alerts: await readKeptAlerts(places.alerts),
    lastPart,
    areFiguresOld: lastPart > 0 && (await isOlder(places.figures, join(places.folder, partName(lastPart)))),
    isUnfinished: own.some((file) => segmentNumber(file) !== undefined),
  };
}

async function readFigures(path: string): Promise<ServedFigures> {
  try {
    return { ...NO_FIGURES, ...(JSON.parse(await readFile(path, "utf8")) as ServedFigures) };
  } catch {
    return NO_FIGURES;
  }
}

async function isOlder(path: string, other: string): Promise<boolean> {
  const changed = async (file: string): Promise<number> =>
    stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
  return (await changed(path)) < (await changed(other));
}

async function lastChange(...paths: readonly string[]): Promise<number | undefined> {
  const times = await Promise.all(paths.map(async (path) => (await stat(path)).mtimeMs));
  return Math.max(...times);
}

/** Bytes of a run's files, and of its record alone. */
export async function measureRun(folder: string): Promise<{ bytes: number; parts: number }> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  let bytes = 0;
  let parts = 0;
  for (const entry of names) {
    if (!entry.isFile()) continue;
    bytes += (await statIfPresent(join(entry.parentPath, entry.name)))?.size ?? 0;
    if (partSegment(entry.name) !== undefined) parts++;
  }
  return { bytes, parts };
}
