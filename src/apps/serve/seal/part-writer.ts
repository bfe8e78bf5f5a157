/**
 * Writes groups of batches as parts of the record, and finds the batches that cannot be written.
 *
 * @module
 */
import { open, readdir, rm, unlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type ErrorTag, isLogratioError, isSystemError, SchemaError } from "../../../core/base/index.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";
import { openRun, type Run } from "../../../ingest/index.ts";
import { writeRecord } from "../../../ingest/writing/index.ts";
import { partName, partSegment, type RunPlaces } from "../../../input/batch-log/index.ts";
import { mergeBatches } from "./merge-batches.ts";
import type { PackedBatch } from "./packed-batch.ts";
import type { Refusal } from "./refusals.ts";
import type { SealTask } from "./seal-task.ts";

/** What a part is made of, while it is made. */
const MERGING = /^merging-\d+\.safetensors$/;

/** Whether a file beside the log is one that a kill left. */
export function isMerging(name: string): boolean {
  return MERGING.test(name);
}

/** Errors that only the data cause. */
const OF_DATA: ReadonlySet<ErrorTag> = new Set<ErrorTag>([
  "SchemaError",
  "LengthMismatchError",
  "VersionError",
  "MissingSideError",
  "EmptyInputError",
]);

export class PartWriter {
  /** Names of the files so far. */
  readonly #written = new Set<string>();

  /** @param onBatch called with what was written */
  constructor(
    readonly places: RunPlaces,
    readonly task: Pick<SealTask, "segment" | "isLastTry">,
    readonly onBatch: (batch: RecordBatch) => void,
  ) {}

  /**
   * Writes one part; if that fails, its halves, down to the batches that are at fault.
   *
   * @throws what may succeed when it is tried again: failures of the system, and, unless this is the last try, errors
   * of which it is unknown whether a batch causes them
   */
  async write(group: readonly PackedBatch[], refusals: Refusal[]): Promise<void> {
    try {
      await this.#writePart(group);
    } catch (error) {
      if (!isAtFault(error, this.task)) throw error;
      // A group of several layouts may have got some of its files.
      await removeParts(this.places, this.task.segment, this.#written);
      if (group.length > 1) {
        const half = group.length >> 1;
        await this.write(group.slice(0, half), refusals);
        await this.write(group.slice(half), refusals);
        return;
      }
      const [{ head, body }] = group as [PackedBatch];
      refusals.push({ head, body, reason: error instanceof Error ? error.message : String(error) });
    }
  }

  async #writePart(group: readonly PackedBatch[]): Promise<void> {
    const merged = join(this.places.own, `merging-${this.task.segment}.safetensors`);
    const base = partName(this.task.segment);
    const count = this.#written.size;
    const name = count === 0 ? base : base.replace(/\.parquet$/, `-${count}.parquet`);
    try {
      await writeFile(merged, mergeBatches(group));
      const run = await openRun([merged], { onePolicy: true });
      const expected = group.reduce((sum, { sequences }) => sum + sequences, 0);
      const batches = await readAll(run, expected);
      const written = batches.map((batch) => ({ ...batch, provenance: { ...batch.provenance, file: name } }));
      const files = await writeRecord(join(this.places.folder, name), iterate(written));
      for (const file of files) await syncFile(file);
      for (const file of files) this.#written.add(basename(file));
      for (const batch of written) this.onBatch(batch);
    } finally {
      // Written over by the next part, and by the next try.
      await rm(merged, { force: true }).catch(() => {});
    }
  }
}

/** Removes the parts of a segment that an interrupted seal left. @param kept names of those that stay */
export async function removeParts(
  { folder }: RunPlaces,
  segment: number,
  kept: ReadonlySet<string> = new Set(),
): Promise<void> {
  for (const name of await readdir(folder))
    if (partSegment(name) === segment && !kept.has(name)) await unlink(join(folder, name));
}

function isAtFault(error: unknown, { isLastTry = false }: PartWriter["task"]): boolean {
  if (isLogratioError(error) && OF_DATA.has(error._tag)) return true;
  const isOfSystem =
    isSystemError(error) ||
    isLogratioError(error, "FileSystemError") ||
    isLogratioError(error, "NotFoundError");
  return isLastTry && !isOfSystem;
}

/** @throws SchemaError where reading left sequences out */
async function readAll(run: Run, expected: number): Promise<RecordBatch[]> {
  const batches: RecordBatch[] = [];
  const count = (): number => batches.reduce((sum, { length }) => sum + length, 0);
  try {
    for await (const batch of run.batches()) batches.push(batch);
  } catch (error) {
    // Nothing to compare in it, such as a mask without a 1: that is for the reader of the whole run to judge.
    if (!isLogratioError(error, "EmptyInputError") || count() !== expected) throw error;
  }
  if (count() === expected) return batches;
  const why = run.findings.list().find(({ severity }) => severity === "skipped")?.message;
  throw new SchemaError(
    `${count()} of ${expected} sequences can be read${why === undefined ? "" : `: ${why}`}`,
  );
}

async function* iterate<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
