/**
 * What a part says beside its summary: which shards are in it, how they were read, and what reading noticed.
 *
 * @module
 */
import type { ByteReader, ByteWriter } from "../core/base/index.ts";
import type { FindingData } from "../core/schema/index.ts";
import type { KeptChecks } from "../ingest/index.ts";
import type { SourceSummary } from "../results/report.ts";

/** What a part is for: the verb whose result it becomes. */
export type PartKind = RunPartKind | "kl";

/** Verbs whose shards are files of a run; those of `kl` are studies. */
export type RunPartKind = "report" | "doctor" | "sweep" | "divergence";

/** What a verb has of shards, in a form that merges: any order and any tree of merging comes to the same bits. */
export interface ShardSums {
  /** Adds sums of the same kind. */
  merge(other: ShardSums): void;
  encode(to: ByteWriter): void;
  /**
   * Adds what `encode` wrote.
   *
   * @throws FormatError when the bytes are not these sums; they are then good for nothing any more
   */
  mergeFrom(from: ByteReader): void;
  /** Sequences read, and tokens that are in figures. */
  readonly sequences: number;
  readonly tokens: number;
  /** Sequences read, by file. */
  readonly sequencesByFile: ReadonlyMap<string, number>;
}

/** Sequences and masked tokens before a filter and after it. */
export interface FilterTally {
  readonly sequences: number;
  readonly keptSequences: number;
  readonly tokens: number;
  readonly keptTokens: number;
}

/** A file of a run, or the two files of a pair, as they were read. */
export interface PartShard {
  readonly name: string;
  /** Of its bytes; null where they could be read only once. */
  readonly digest: string | null;
  readonly sources: readonly (Omit<SourceSummary, "sequences"> & { readonly run: string })[];
  readonly findings: readonly FindingData[];
  readonly filtered: FilterTally | null;
  /** For a shift of the columns that small files show only together; null of a pair, absent in parts from before they were kept. */
  readonly checks?: KeptChecks | null;
  /** Not a single sequence could be read: a finding says why. */
  readonly failed: boolean;
}

/** One call of `summarize`: what belongs to no shard. */
export interface PartCall {
  /** Of paths and settings: the same call made again, to resume, has the same. */
  readonly id: string;
  /** As they were given. */
  readonly paths: readonly string[];
  /** Names of all shards that it found. */
  readonly expected: readonly string[];
  readonly findings: readonly FindingData[];
}

export interface PartInfo {
  readonly kind: PartKind;
  /** Of the sums of this kind; absent is 1. */
  readonly version?: number;
  /** The flags that chose what was read, word by word. */
  readonly settings: readonly string[];
  /** Whether the filter among them is about tokens. */
  readonly filtersTokens: boolean;
  readonly calls: readonly PartCall[];
  readonly shards: readonly PartShard[];
  /** What merging noticed. */
  readonly notes: readonly FindingData[];
}

/** The sums of some shards of a run, with all that a result of them says. */
export interface Part<Sums extends ShardSums = ShardSums> {
  readonly info: PartInfo;
  readonly sums: Sums;
}
