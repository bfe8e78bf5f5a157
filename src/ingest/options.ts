/**
 * Options of reading.
 *
 * @module
 */
import type { ColumnMapping, OnlyRow } from "../input/adapters/adapter.ts";
import type { Align } from "./alignment/parse-align.ts";
import type { Progress } from "./progress.ts";
import type { SourceReport } from "./sources.ts";

/** What to read from the paths, and how. */
export interface ReadOptions {
  /** Columns that the user named; these override detection. */
  readonly mapping?: ColumnMapping;
  /** Name of the adapter to use. */
  readonly adapter?: string;
  /** Whether one column may be named for both sides, for verbs that read one policy. */
  readonly oneSide?: boolean;
  /**
   * How the trainer's column is moved: n uses its entry t + n for token t, `auto` the shift found in the data, `none`
   * trusts the file without a check. Default 0: as in the file, with a check.
   */
  readonly align?: Align;
  /**
   * Reads files with one policy's log-probs if no file has both, with the other side absent; otherwise they are refused.
   */
  readonly onePolicy?: boolean;
  /** Two files are two policies' log-probs of the same tokens: the first the rollout's, the second the trainer's. */
  readonly pair?: boolean;
  /**
   * Reads a column whose values are mostly positive (probabilities, losses) with all of them as missing, for a verb
   * that says what they are. By default it is refused.
   */
  readonly allowPositive?: boolean;
  /**
   * Which steps to read; sequences of unknown step are then left out. Files known to hold only other steps are not read.
   */
  readonly steps?: (step: number) => boolean;
  /** The only row that is needed: a reader that has an index of its file may read it alone, and others read all. */
  readonly onlyRow?: OnlyRow;
  /**
   * Also keeps values without a column in the record: attention, input ids, rewards of tokens, padding. Default false.
   */
  readonly keepDetails?: boolean;
  /** Response tokens per batch; default one million. */
  readonly batchTokens?: number;
  /** Called repeatedly while files are read. */
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Files of the directories that the caller reads itself, such as logged metrics; they are not reported as left out.
   */
  readonly readApart?: readonly string[];
  /** Called with the recognized files before anything is refused. */
  readonly onExamined?: (sources: readonly SourceReport[]) => void;
  /** What `-` reads; default the process's standard input. */
  readonly stdin?: AsyncIterable<Uint8Array>;
}
