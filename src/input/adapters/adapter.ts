/**
 * The contract of an adapter: it recognizes a document by the names that one trainer uses, and turns it into drafts.
 *
 * @module
 */

import type { LogratioError, MissingSideError } from "../../core/base/index.ts";
import type {
  COLUMN_FLAGS,
  FindingLog,
  Provenance,
  Sampling,
  SequenceDraft,
} from "../../core/schema/index.ts";
import type { SourceDocument } from "../io/columns.ts";

/** Columns that the user named: field to column, dotted for nested objects. */
export interface ColumnMapping extends Readonly<Partial<Record<keyof typeof COLUMN_FLAGS, string>>> {
  /** Further policies' log-probs: policy name to column. */
  readonly policies?: Readonly<Record<string, string>>;
}

/** What detection says about a document; the three lists are printed by `--explain`. */
export interface Match {
  /** 0 to 1; the highest wins, the earlier adapter on a tie. */
  readonly score: number;
  readonly found: readonly string[];
  readonly guessed: readonly string[];
  readonly missing: readonly string[];
  /** The step in the file's content; undefined if there is none, or several. */
  readonly step?: number | undefined;
  readonly rank?: number | undefined;
  /** Why the file, though recognized, cannot be read on its own. */
  readonly problem?: LogratioError | undefined;
  /** Set when the document has only one policy's log-probs; `read` then leaves the other side undefined. */
  readonly onePolicy?: OnePolicy | undefined;
  /** Set if files of a run complete each other: what {@link Adapter.join} must know about this one. */
  readonly part?: unknown;
}

/**
 * How a file combines with others of its run, as {@link Adapter.join} decides: it is read (with its companions), it is
 * read as part of another file, or it repeats another file.
 */
export interface Joined {
  readonly as: "read" | "companion" | "repeated";
  /** The files that complete this one, as indices into the list that `join` got. */
  readonly companions?: readonly number[];
  /** Replaces the match's problem; undefined when the file can now be read. */
  readonly problem: LogratioError | undefined;
  /** Further lines for `--explain`. */
  readonly found?: readonly string[];
  readonly guessed?: readonly string[];
  /** Replaces the match's list, where the companions have what it lacks. */
  readonly missing?: readonly string[];
  /** What reading this file needs to know about the others, apart from its companions. */
  readonly shared?: unknown;
  /** For a repetition, what it repeats, as in `repeats sequences of the training dumps`. */
  readonly repeats?: string;
}

/** A file for which `detect` returned a part. */
export interface PartFile {
  readonly file: string;
  /** Name of the run that the file belongs to. */
  readonly run: string;
  readonly facts: unknown;
  /** Why it cannot be read on its own. */
  readonly problem: LogratioError | undefined;
}

/** A file that completes the one being read; the caller that opened it closes it. */
export interface Companion {
  readonly file: string;
  readonly facts: unknown;
  /** @throws LogratioError when it can no longer be opened */
  readonly open: () => Promise<SourceDocument>;
}

/** The side that a file has, and the error for callers that need both. */
export interface OnePolicy {
  readonly has: "rollout" | "trainer";
  /** Names the dump: `a verl generation batch`; by default the adapter and format do. */
  readonly what?: string;
  /** Names the dump, the missing side, and the trainer's switch or hook that writes it. */
  readonly error: MissingSideError;
}

/** The only row that is needed: a reader that has an index of the file may read it alone, and others read all. */
export interface OnlyRow {
  readonly row: number;
  /** Called by a reader that leaves the others out. */
  onAlone(): void;
}

export interface AdapterContext {
  readonly findings: FindingLog;
  readonly mapping?: ColumnMapping | undefined;
  /** About how many elements of one column to read at a time. */
  readonly blockTokens: number;
  /** Whether to read columns that have no place in the record. */
  readonly keepDetails?: boolean | undefined;
  readonly onlyRow?: OnlyRow | undefined;
  /** The files that {@link Adapter.join} chose to complete this one. */
  readonly companions?: readonly Companion[] | undefined;
  /** See {@link Joined.shared}. */
  readonly shared?: unknown;
}

export interface Reading {
  /** The trainer that wrote the source, if it is not the adapter's. */
  readonly trainer?: string | undefined;
  readonly alignment: Provenance["alignment"];
  /** Columns whose masks are combined, the response mask first; empty or absent if nothing is combined. */
  readonly masks?: readonly string[] | undefined;
  readonly sampling: Sampling;
  /** Consecutive drafts; their arrays are valid until the next block is requested. */
  readonly blocks: AsyncIterable<readonly SequenceDraft[]>;
}

export interface Adapter {
  readonly name: string;
  /** The file that this trainer writes to a folder once all files of the step are complete. */
  readonly completeWhen?: string;
  detect(document: SourceDocument, mapping?: ColumnMapping): Promise<Match | undefined>;
  /**
   * Says how the files that have a {@link Match.part} combine, with one result per file in the same order. Called with
   * those of all runs whenever files are found, but only with files that the user gave.
   */
  join?(parts: readonly PartFile[]): readonly Joined[];
  /**
   * Called on a document that `detect` matched.
   *
   * @throws LengthMismatchError when columns that belong together have different shapes
   * @throws SchemaError when a column has a type that its name does not allow
   */
  read(document: SourceDocument, context: AdapterContext): Promise<Reading>;
}
