/**
 * Finds the batches of a segment that the sealing thread does not survive. Each is sealed alone, as a run that is thrown
 * away: then whatever ends the thread, reading, writing or summing, ends it here too.
 *
 *     RUN/.serve/trial/.serve/00000001.log      one batch at a time
 *
 * @module
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isSystemError } from "../../../core/base/index.ts";
import { keyText, runPlaces, scanSegment, segmentName } from "../../../input/batch-log/index.ts";
import type { SealTask } from "./seal-task.ts";

const TRIAL = "trial";

/** Whether a folder beside the log is one that a kill left. */
export function isTrial(name: string): boolean {
  return name === TRIAL;
}

/**
 * @param findDeath seals, and says why the thread ended; undefined where it did not
 * @returns why, by the keys of the batches that end it
 * @throws what makes trying impossible now; the segment is unchanged
 */
export async function findFatal(
  { run, folder, segment, bytes }: SealTask,
  findDeath: (trial: SealTask) => Promise<string | undefined>,
): Promise<ReadonlyMap<string, string>> {
  const { own } = runPlaces(folder);
  const place = join(own, TRIAL);
  const fatal = new Map<string, string>();
  try {
    const path = join(own, segmentName(segment));
    const { frames } = await scanSegment(path, { bytes });
    const raw = await readFile(path);
    for (const frame of frames) {
      const one = raw.subarray(frame.start, frame.offset + frame.bytes);
      await rm(place, { recursive: true, force: true });
      await mkdir(runPlaces(place).own, { recursive: true });
      await writeFile(join(runPlaces(place).own, segmentName(1)), one);
      const task = { run, folder: place, segment: 1, bytes: one.length, repeated: [], isLast: true };
      const reason = await findDeath({ ...task, isLastTry: true });
      if (reason !== undefined) fatal.set(keyText(frame.head), reason);
    }
  } catch (error) {
    // Without the segment, sealing says that it is gone.
    if (!isSystemError(error) || error.code !== "ENOENT") throw error;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
  return fatal;
}
