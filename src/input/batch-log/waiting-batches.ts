/**
 * Batches that a server acknowledged but has not added to the record yet; only a server adds them.
 *
 * @module
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isSystemError } from "../../core/base/index.ts";
import { keyText } from "./frame.ts";
import { readKeyLines } from "./key-file.ts";
import { runPlaces, segmentNumber } from "./places/index.ts";
import { scanSegment } from "./scan-segment.ts";

export interface WaitingBatches {
  readonly batches: number;
  /** Bytes of the log that are not a whole batch. */
  readonly damagedBytes: number;
  /** The first segment that holds any; undefined if none waits. */
  readonly file: string | undefined;
}

/** Counts the batches waiting in the log of a served run's folder, each once. */
export async function countWaiting(folder: string): Promise<WaitingBatches> {
  const { own, keys } = runPlaces(folder);
  const segments = (await readdir(own)).filter((name) => segmentNumber(name) !== undefined).sort();
  const waiting = new Set<string>();
  let damagedBytes = 0;
  let file: string | undefined;
  for (const name of segments) {
    // A running server may seal and remove it meanwhile.
    const scanned = await scanSegment(join(own, name)).catch((cause: unknown) => {
      if (isSystemError(cause) && cause.code === "ENOENT") return undefined;
      throw cause;
    });
    if (scanned === undefined || scanned.bytes === 0) continue;
    file ??= join(own, name);
    for (const { head } of scanned.frames) waiting.add(`${keyText(head)} ${head.sha256}`);
    for (const { start, end, cutOffAt } of scanned.damage)
      damagedBytes += cutOffAt === undefined ? end - start : 0;
  }
  if (waiting.size > 0)
    // Its segment is removed only after its key is written.
    for (const { head } of await readKeyLines(keys)) waiting.delete(`${keyText(head)} ${head.sha256}`);
  return { batches: waiting.size, damagedBytes, file };
}
