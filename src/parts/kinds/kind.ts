import type { GridOptions } from "../../analyses/sweep/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import type { ReadOptions, Run } from "../../ingest/index.ts";
import type { JudgingFlags } from "../../study/flags.ts";
import type { ShardSums } from "../part.ts";

/** Sums a shard. The batches are read once, to their end. */
export type SumShard = (batches: AsyncIterable<RecordBatch>, run: Run) => Promise<ShardSums>;

/** What a verb needs for its shards: everything in which parts of different verbs differ. */
export interface KindOfPart {
  /** Version of the sums' encoding; it increases when their meaning changes. */
  readonly version: number;
  /** Names of the {@link KindOptions} that it accepts in addition to threads. */
  readonly flags: readonly (keyof KindOptions)[];
  /** Empty sums, to merge into. */
  makeSums(): ShardSums;
}

/** A verb whose shards are files of a run. */
export interface RunKind extends KindOfPart {
  /** Options with which the verb reads runs. */
  readonly reads: Pick<ReadOptions, "allowPositive" | "keepDetails">;
  /**
   * @param options flags of the verb that decide what is summed, in addition to those that choose what is read
   * @throws UsageError when a flag makes no sense
   */
  prepare(options: KindOptions): SumShard;
}

/** Flags of verbs that decide what is summed. */
export interface KindOptions extends GridOptions, JudgingFlags {
  /** Threads for summing, if the verb can use them. */
  readonly threads?: number;
  /** For divergence: tokens kept per step, tokens of context on either side, which steps. */
  readonly topK?: number | string;
  readonly context?: number | string;
  readonly every?: number | string;
}
