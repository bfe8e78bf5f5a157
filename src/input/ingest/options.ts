/**
 * What a caller can ask of reading.
 *
 * @module
 */
import type { ColumnMapping } from "../adapters/index.ts";
import type { Align } from "./alignment/index.ts";
import type { Progress } from "./progress.ts";
import type { SourceReport } from "./sources.ts";

/** What to read of the paths, and as what. */
export interface ReadOptions {
  /** Columns that the user named; decides over detection. */
  readonly mapping?: ColumnMapping;
  /** Name of the adapter to use. */
  readonly adapter?: string;
  /** One column may be named for both sides: of verbs that look at one policy. */
  readonly oneSide?: boolean;
  /**
   * Where the trainer's column is taken from: so many entries later than the file has it, `auto` for what the data say, `none` to
   * trust the file without a look. Default 0: as the file has it, looked at.
   */
  readonly align?: Align;
  /**
   * Files with one policy's log-probs are read where no file has both, with the other side absent; without it they are
   * refused.
   */
  readonly onePolicy?: boolean;
  /** Two files are two policies' log-probs of the same tokens: the first the rollout's, the second the trainer's. */
  readonly pair?: boolean;
  /**
   * Values that are no log-probs (1.0, −9999, probabilities) are kept as they are, where they are otherwise read as
   * missing and a column of them refused: for a verb that says why they are there.
   */
  readonly keepOdd?: boolean;
  /**
   * Which steps to read; sequences whose step is not known are left out when this is given. Files that are known to
   * hold other steps only are not read at all.
   */
  readonly steps?: (step: number) => boolean;
  /** Also keep what the record has no column for: attention, input ids, rewards of tokens, padding. Default false. */
  readonly keepDetails?: boolean;
  /** Response tokens per batch; default a million. */
  readonly batchTokens?: number;
  /** Called while files are read, again and again. */
  readonly onProgress?: (progress: Progress) => void;
  /** Called with what each file was recognized as, before anything is refused. */
  readonly onExamined?: (sources: readonly SourceReport[]) => void;
  /** What `-` reads; default the process's standard input. */
  readonly stdin?: AsyncIterable<Uint8Array>;
}
