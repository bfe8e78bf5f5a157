/**
 * Decides what to remove: whole runs, the least recently written first, and never one that is being written.
 *
 * @module
 */
import { join } from "node:path";
import { formatBytes } from "../../../core/text/index.ts";
import { isAbsence } from "../../../input/io/index.ts";
import { printable } from "../../../render/text/index.ts";
import type { DataStore } from "./data-store.ts";
import { measureRun } from "./run-list.ts";

export interface Retention {
  /** Milliseconds since the last batch after which a run is removed. */
  readonly ageMs?: number | undefined;
  /** Bytes of all runs together beyond which runs are removed. */
  readonly bytes?: number | undefined;
}

export interface Removed {
  readonly name: string;
  readonly bytes: number;
  readonly why: "age" | "size";
}

export interface RetentionOptions {
  /** Called with the reason why a run could not be removed; the others are removed. */
  readonly onFailed: (error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now?: number;
}

/** @returns what was removed, and what is left */
export async function applyRetention(
  store: DataStore,
  { ageMs = Number.POSITIVE_INFINITY, bytes: most = Number.POSITIVE_INFINITY }: Retention,
  { onFailed, now = Date.now() }: RetentionOptions,
): Promise<{ removed: Removed[]; bytes: number }> {
  const runs = await Promise.all(
    store.list().map(async ({ name, folder }) => ({
      name,
      folder,
      bytes: await measureRun(join(store.directory, folder)).then(
        (measured) => measured.bytes,
        (error: unknown) => {
          if (!isAbsence(error)) onFailed(error);
          return 0;
        },
      ),
    })),
  );
  const removed: Removed[] = [];
  let total = runs.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { name, folder, bytes } of runs.reverse()) {
    if (store.isWriting(folder)) continue;
    const why = now - store.lastWrite(folder) > ageMs ? "age" : total > most ? "size" : undefined;
    if (why === undefined) continue;
    try {
      await store.remove(folder);
    } catch (error) {
      onFailed(error);
      continue;
    }
    total -= bytes;
    removed.push({ name, bytes, why });
  }
  return { removed, bytes: total };
}

export function describeRemoved({ name, bytes, why }: Removed): string {
  const reason =
    why === "age" ? "no batch arrived for --keep-days" : "the runs together exceeded --keep-size";
  return `removed the run ${printable(JSON.stringify(name))}, ${formatBytes(bytes)}: ${reason}`;
}
