import type { RecordBatch } from "../../../../core/schema/index.ts";
import type { Progress, ReadOptions } from "../../../../input/ingest/index.ts";
import type { CacheNotice } from "./cache-place.ts";
import type { PreparedRun } from "./prepared-run.ts";

/** Ground truth of a run's sequences. */
export interface TruthSource {
  /** What was asked for. */
  readonly source: string;
  /** Of each sequence, as text; undefined where there is none. */
  of(batch: RecordBatch): Promise<(string | undefined)[]>;
}

export interface PrepareOptions {
  readonly read?: Omit<ReadOptions, "onProgress">;
  /**
   * What `read` says, as words of a command line (`["--steps", "10..20"]`): tells caches of other questions apart, and
   * stands in the commands that answers suggest.
   */
  readonly flags?: readonly string[];
  /** A directory with `tokenizer.json`, or that file. */
  readonly tokenizer?: string;
  /** Answers that digits are held against: only with a tokenizer. `name` is a file, or a column of the input. */
  readonly truth?: { readonly name: string; open(): Promise<TruthSource> };
  /** `text`: no texts of tokens or prompts in any answer, only ids. */
  readonly redact?: "text";
  /** Where to keep caches instead of beside the data. */
  readonly cache?: string;
  /** More is to come, so `api/run` says `reading`; files that are being written are no errors. */
  readonly following?: boolean;
  /** Shows what was read so far while the rest is read. */
  readonly soFar?: {
    /** A state of the run, which is the receiver's to close. Each has the rows of the one before, and more. */
    onRun(run: PreparedRun): void;
    /** Whether anybody would see one. */
    isWatched(): boolean;
    /** At least so long between two; default a second before the first, then at least 2.5 and so that reading goes on. */
    readonly everyMs?: number;
  };
  readonly onProgress?: (progress: Progress) => void;
  /** What came of a cache that could not be used, in one line. */
  readonly onNotice?: CacheNotice;
  readonly signal?: AbortSignal;
}
