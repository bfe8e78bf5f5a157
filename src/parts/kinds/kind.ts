import type { GridOptions } from "../../analyses/sweep/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import type { ReadOptions, Run } from "../../ingest/index.ts";
import type { JudgingFlags } from "../../study/scoring/index.ts";
import type { ShardSums } from "../part.ts";

/** Sums a shard. The batches are read once, to their end. */
export type SumShard = (batches: AsyncIterable<RecordBatch>, run: Run) => Promise<ShardSums>;

/** What a verb needs of shards: all that its parts differ in. */
export interface KindOfPart {
  /** Of the sums' bytes; a change of what they mean is a new one. */
  readonly version: number;
  /** Names of {@link KindOptions} that it takes, beside threads. */
  readonly flags: readonly (keyof KindOptions)[];
  /** Sums of nothing, to merge into. */
  makeSums(): ShardSums;
}

/** Of a verb whose shards are files of a run. */
export interface RunKind extends KindOfPart {
  /** How the verb reads runs. */
  readonly reads: Pick<ReadOptions, "allowPositive" | "keepDetails">;
  /**
   * @param options flags of the verb that decide what is summed, beside those that choose what is read
   * @throws UsageError when one makes no sense
   */
  prepare(options: KindOptions): SumShard;
}

/** Flags of verbs that decide what is summed. */
export interface KindOptions extends GridOptions, JudgingFlags {
  /** Threads that sum, where the verb can use them. */
  readonly threads?: number;
  /** Of divergence: tokens kept of a step, tokens of context on either side, which steps. */
  readonly topK?: number | string;
  readonly context?: number | string;
  readonly every?: number | string;
}
