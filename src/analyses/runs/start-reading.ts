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

/** When reading ends, and who hears of it. */
export interface ReadingOptions {
  /** Ends the work before the next batch; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called while files are read, again and again. */
  readonly onProgress?: (progress: Progress) => void;
  /** Asked before the first batch and after each: true ends reading there, and the result covers what was read. */
  readonly isStopped?: () => boolean;
  /** Called when nothing is left to read: the rest is computing. */
  readonly onRead?: () => void;
}

/** An open run, and what reads it. */
export interface Reading {
  readonly run: Run;
  /** Read once; without what the filter drops. */
  readonly batches: AsyncGenerator<RecordBatch>;
  readonly filter: BatchFilter | undefined;
  /** Throws the reason of the signal. */
  readonly isStopped: () => boolean;
}

/**
 * @param reads how the verb reads, beside the options
 * @param compiled the filter of the options, where it was needed before
 * @throws UsageError when options contradict each other or the paths
 * @throws LogratioError as `reportRun`, when the run cannot be opened
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

/** The paths that were given, one or several. */
export function listPaths(paths: string | readonly string[]): readonly string[] {
  return typeof paths === "string" ? [paths] : paths;
}
