/**
 * What an adapter is: it recognizes one trainer's way of naming things in a document, and turns it into drafts.
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
import type { SourceDocument } from "../io/index.ts";

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
  /** As the file's content says; undefined when it does not, or holds several. */
  readonly step?: number | undefined;
  readonly rank?: number | undefined;
  /** Recognized, but not readable on its own: why. */
  readonly problem?: LogratioError | undefined;
  /** Set when the document has the log-probs of one policy only; `read` then leaves the other side undefined. */
  readonly onePolicy?: OnePolicy | undefined;
  /** Set where files of a run complete each other: what {@link Adapter.join} must know of this one. */
  readonly part?: unknown;
}

/**
 * How one file goes with others of its run, as {@link Adapter.join} says: read (with what its companions hold),
 * part of what another file's reading takes in, or a repetition of what another file holds.
 */
export interface Joined {
  readonly as: "read" | "companion" | "repeated";
  /** Places in the list that `join` was given: the files that complete this one. */
  readonly companions?: readonly number[];
  /** Instead of the match's problem; undefined: the file can be read now. */
  readonly problem: LogratioError | undefined;
  /** Further lines for `--explain`. */
  readonly found?: readonly string[];
  readonly guessed?: readonly string[];
  /** What reading this file must know of the others, beside what is in its companions. */
  readonly shared?: unknown;
  /** Of a repetition: what holds the same, as in `repeat sequences of TRAIN_DATA`. */
  readonly repeats?: string;
}

/** A file that `detect` said to be a part, with what it said. */
export interface PartFile {
  readonly file: string;
  /** As its path names it. */
  readonly run: string;
  readonly facts: unknown;
  /** What keeps it from being read on its own. */
  readonly problem: LogratioError | undefined;
}

/** A file that completes the one being read; closed by who opened it. */
export interface Companion {
  readonly file: string;
  readonly facts: unknown;
  /** @throws LogratioError when it cannot be opened any more */
  readonly open: () => Promise<SourceDocument>;
}

/** The side that is there, and what to tell who needs both. */
export interface OnePolicy {
  readonly has: "rollout" | "trainer";
  /** The dump: `a verl generation batch`; without it the adapter and format say what it is. */
  readonly what?: string;
  /** Names the dump, the side that is missing, and the trainer's switch or hook that writes it. */
  readonly error: MissingSideError;
}

export interface AdapterContext {
  readonly findings: FindingLog;
  readonly mapping?: ColumnMapping | undefined;
  /** About how many elements of one column to read at a time. */
  readonly blockTokens: number;
  /** Whether anybody wants what the record has no column for; columns that hold nothing else are not read otherwise. */
  readonly keepDetails?: boolean | undefined;
  /** The files that {@link Adapter.join} chose to complete this one. */
  readonly companions?: readonly Companion[] | undefined;
  /** As {@link Joined.shared}. */
  readonly shared?: unknown;
}

export interface Reading {
  /** When the source is not simply named after the adapter. */
  readonly trainer?: string | undefined;
  readonly alignment: Provenance["alignment"];
  /** Columns whose masks are combined, the one that says what is response first; empty or absent: none or one of a kind. */
  readonly masks?: readonly string[] | undefined;
  readonly sampling: Sampling;
  /** Consecutive drafts; their arrays are valid until the next block is asked for. */
  readonly blocks: AsyncIterable<readonly SequenceDraft[]>;
}

export interface Adapter {
  readonly name: string;
  /** The file that this trainer puts into a folder once all of the step's files there are whole. */
  readonly completeWhen?: string;
  detect(document: SourceDocument, mapping?: ColumnMapping): Promise<Match | undefined>;
  /**
   * Says how the files that have a {@link Match.part} go together, in the same order. Called with all that are there,
   * of all runs, whenever files are found; only files that the user gave are among them.
   */
  join?(parts: readonly PartFile[]): readonly Joined[];
  /**
   * Called on a document that `detect` matched.
   *
   * @throws LengthMismatchError when columns that belong together have different shapes
   * @throws SchemaError when a column has a type that cannot be read as what it is named
   */
  read(document: SourceDocument, context: AdapterContext): Promise<Reading>;
}
