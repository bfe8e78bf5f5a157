/**
 * How every verb that reads a run begins: the filter, the open run, its batches.
 *
 * @module
 */
import type { RecordBatch } from "../../core/schema/index.ts";
import { openRun, type Progress, type ReadOptions, type Run } from "../../ingest/index.ts";
import type { BatchFilter } from "../filter/filter-batches.ts";
import { compileFilter, type FilterOptions } from "./filter-option.ts";
import { parseRunInput, type RunInput } from "./input-options.ts";
import { readBatches } from "./read-batches.ts";

/** When reading ends, and who is notified. */
export interface ReadingOptions {
  /** Ends the work before the next batch; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called repeatedly while files are read. */
  readonly onProgress?: (progress: Progress) => void;
  /** Called before the first batch and after each: true ends reading there, and the result covers what was read. */
  readonly isStopped?: () => boolean;
  /** Called when there is nothing left to read: only computation remains. */
  readonly onRead?: () => void;
}

/** An open run and its batches. */
export interface Reading {
  readonly run: Run;
  /** Can be read once; excludes what the filter drops. */
  readonly batches: AsyncGenerator<RecordBatch>;
  readonly filter: BatchFilter | undefined;
  /** Throws the signal's reason if it is aborted. */
  readonly isStopped: () => boolean;
}

/**
 * @param reads how the verb reads, in addition to the options
 * @param compiled the filter of the options, if it was needed earlier
 * @throws UsageError if options contradict each other or the paths
 * @throws LogratioError like `reportRun`, if the run cannot be opened
 */
export async function startReading(
  paths: readonly string[],
  options: RunInput & FilterOptions & ReadingOptions,
  reads: ReadOptions = {},
  compiled?: BatchFilter,
): Promise<Reading> {
  const { signal, onProgress, onRead } = options;
  const filter = compiled ?? (await compileFilter(options));
  const run = await openRun(paths, {
    ...parseRunInput(options),
    ...reads,
    ...(onProgress && { onProgress }),
  });
  const isStopped = (): boolean => {
    signal?.throwIfAborted();
    return options.isStopped?.() ?? false;
  };
  return { run, batches: readBatches(run, { filter, isStopped, onRead }), filter, isStopped };
}

/** The given paths, one or several. */
export function listPaths(paths: string | readonly string[]): readonly string[] {
  return typeof paths === "string" ? [paths] : paths;
}
