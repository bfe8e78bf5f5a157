import type { RecordBatch } from "../../../../core/schema/index.ts";
import type { Progress, ReadOptions } from "../../../../ingest/index.ts";
import type { CacheNotice } from "./cache-place.ts";
import type { PreparedRun } from "./prepared-run.ts";

/** Ground truth of a run's sequences. */
export interface TruthSource {
  /** The source as given. */
  readonly source: string;
  /** Of each sequence, as text; undefined where there is none. */
  of(batch: RecordBatch): Promise<(string | undefined)[]>;
}

export interface PrepareOptions {
  readonly read?: Omit<ReadOptions, "onProgress">;
  /**
   * What `read` says, as words of a command line (`["--steps", "10..20"]`): part of the cache's key, and of the
   * commands that answers suggest.
   */
  readonly flags?: readonly string[];
  /** A directory with `tokenizer.json`, or that file. */
  readonly tokenizer?: string;
  /** Ground truth for digits: only with a tokenizer. `name` is a file, or a column of the input. */
  readonly truth?: { readonly name: string; open(): Promise<TruthSource> };
  /** `text`: no texts of tokens or prompts in any answer, only ids. */
  readonly redact?: "text";
  /** Where to keep caches instead of next to the data. */
  readonly cache?: string;
  /** More data will come, so `api/run` says `reading`, and files that are being written are not errors. */
  readonly following?: boolean;
  /** Shows what was read so far while the rest is read. */
  readonly soFar?: {
    /** Receives a state of the run and must close it. Each has the rows of the one before, and more. */
    onRun(run: PreparedRun): void;
    /** Whether a page is open to see one. */
    isWatched(): boolean;
    /**
     * The least time between two states; default 1 s before the first, then at least 2.5 s, and so that reading is
     * hardly delayed.
     */
    readonly everyMs?: number;
  };
  readonly onProgress?: (progress: Progress) => void;
  /** Receives a line about a cache that could not be used. */
  readonly onNotice?: CacheNotice;
  readonly signal?: AbortSignal;
}
