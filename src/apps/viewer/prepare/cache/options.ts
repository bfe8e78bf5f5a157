import type { RecordBatch } from "../../../../core/schema/index.ts";
import type { Progress, ReadOptions } from "../../../../input/ingest/index.ts";
import type { CacheNotice } from "./cache-place.ts";

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
  readonly onProgress?: (progress: Progress) => void;
  /** What came of a cache that could not be used, in one line. */
  readonly onNotice?: CacheNotice;
  readonly signal?: AbortSignal;
}
