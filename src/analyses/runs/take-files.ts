/**
 * Reads whole files into the evidence of a run: the work of each thread.
 *
 * @module
 */
import { releaseBatch } from "../../core/schema/index.ts";
import type { FileOutcome, FileReading } from "../../ingest/index.ts";
import type { RunEvidence } from "../evidence/run-evidence.ts";
import type { BatchFilter } from "../filter/filter-batches.ts";

/** One thread's results from reading files of a run. */
export interface TakenFiles {
  readonly outcomes: [place: number, outcome: FileOutcome][];
  /** A batch that could not be added; if there are several, the one in the first file. */
  failure: { readonly place: number; readonly error: unknown } | undefined;
}

export interface TakeOptions {
  /** The place of the next file; undefined if there is none. */
  readonly next: () => number | undefined;
  readonly read: (place: number) => FileReading;
  readonly filter: BatchFilter | undefined;
  readonly evidence: RunEvidence;
  /** Called after each batch: true ends reading there. */
  readonly isStopped: (place: number) => boolean | Promise<boolean>;
  readonly onFailed: (place: number) => void;
}

export async function takeFiles(options: TakeOptions): Promise<TakenFiles> {
  const taken: TakenFiles = { outcomes: [], failure: undefined };
  for (let place = options.next(); place !== undefined; place = options.next()) {
    const reading = options.read(place);
    try {
      await addFile(reading, place, options);
    } catch (error) {
      options.onFailed(place);
      if (taken.failure === undefined || place < taken.failure.place) taken.failure = { place, error };
    }
    taken.outcomes.push([place, reading.outcome()]);
  }
  return taken;
}

async function addFile(
  reading: FileReading,
  place: number,
  { filter, evidence, isStopped }: TakeOptions,
): Promise<void> {
  for await (const batch of reading.batches()) {
    const kept = filter === undefined ? batch : filter.apply(batch);
    if (kept !== undefined) evidence.add(kept);
    releaseBatch(batch);
    if (await isStopped(place)) return;
  }
}
