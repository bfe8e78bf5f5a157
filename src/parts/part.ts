/**
 * A part's description: which shards it has, how they were read, and what was noticed while reading.
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

/** What a verb sums from shards, in a form that merges: every order and every tree of merges gives the same bits. */
export interface ShardSums {
  /** Adds sums of the same kind. */
  merge(other: ShardSums): void;
  encode(to: ByteWriter): void;
  /**
   * Adds sums that `encode` wrote.
   *
   * @throws FormatError when the bytes are not these sums; do not use them afterwards
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
  /** Digest of its bytes; null if they can be read only once. */
  readonly digest: string | null;
  readonly sources: readonly (Omit<SourceSummary, "sequences"> & { readonly run: string })[];
  readonly findings: readonly FindingData[];
  readonly filtered: FilterTally | null;
  /**
   * Used to find a shift of the columns that small files show only together; null for a pair, absent in parts written
   * before checks were kept.
   */
  readonly checks?: KeptChecks | null;
  /** Whether not a single sequence could be read; a finding says why. */
  readonly failed: boolean;
}

/** One call of `summarize`: the information that belongs to no single shard. */
export interface PartCall {
  /** Digest of paths and settings: the same call, repeated to resume, has the same id. */
  readonly id: string;
  /** The paths as given. */
  readonly paths: readonly string[];
  /** Names of all shards that it found. */
  readonly expected: readonly string[];
  readonly findings: readonly FindingData[];
}

export interface PartInfo {
  readonly kind: PartKind;
  /** Version of this kind of sums; 1 if absent. */
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

/** The sums of some shards of a run, with everything that a result based on them needs. */
export interface Part<Sums extends ShardSums = ShardSums> {
  readonly info: PartInfo;
  readonly sums: Sums;
}
