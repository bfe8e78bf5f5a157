import { type Progress, type Run, type RunFiles, splitRun } from "../../ingest/index.ts";
import type { BatchFilter } from "../filter/filter-batches.ts";
import { workerFile } from "../parallel/thread.ts";
import type { FilterOptions } from "./filter-option.ts";
import type { RunInput } from "./input-options.ts";

/** How other threads read the files of an open run: the inputs of the run and the filter. */
export interface ApartOptions {
  readonly input: RunInput & FilterOptions;
  /** Compiled from `input`. */
  readonly filter: BatchFilter | undefined;
  /** Called now and then: true ends reading, keeping what was read; if it throws, reading ends without a result. */
  readonly isStopped?: () => boolean;
  /** Called once everything has been read. */
  readonly onRead?: () => void;
  readonly onProgress?: (progress: Progress) => void;
  /** Bytes up to which no thread is started; default 16 MiB. */
  readonly smallBytes?: number;
}

/** Read in a quarter of a second: as long as it takes to start a thread and merge its result. */
const SMALL_BYTES = 2 ** 24;
/** The files of a run, if reading them on several threads is worthwhile. */
export function chooseFiles(
  run: Run,
  threads: number,
  { smallBytes = SMALL_BYTES }: ApartOptions,
): RunFiles | undefined {
  if (threads <= 1 || run.sources.length < 2 || workerFile("files-worker", import.meta.url) === undefined)
    return undefined;
  const files = splitRun(run);
  const movable = files?.list.filter(({ file }) => file !== undefined) ?? [];
  const bytes = sumBytes(movable);
  const isWorth = movable.length > 1 && bytes > smallBytes && 2 * bytes >= sumBytes(files!.list);
  return isWorth ? files : undefined;
}

export function sumBytes(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
