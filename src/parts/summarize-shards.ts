/**
 * From shards to parts, one after another.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { BatchFilter } from "../analyses/filter/index.ts";
import { compileFilter, type FilterOptions } from "../analyses/runs/filter-option.ts";
import { inputFlags, parseRunInput, type RunInput } from "../analyses/runs/input-options.ts";
import { sourceSummaries } from "../analyses/runs/read-batches.ts";
import { isLogratioError, UsageError } from "../core/base/index.ts";
import type { RecordBatch } from "../core/schema/index.ts";
import { keepChecks, openShards, type Progress, type Shard } from "../ingest/index.ts";
import { type KindOptions, PART_KINDS, RUN_KINDS } from "./kinds/index.ts";
import type { FilterTally, Part, PartCall, PartInfo, PartKind, PartShard, RunPartKind } from "./part.ts";

/** What to read, and how: the flags of `logratio summarize` under the same names. */
export interface SummarizeOptions<Kind extends PartKind = RunPartKind>
  extends RunInput,
    FilterOptions,
    KindOptions {
  /** The verb that the parts are for; default `report`. */
  readonly for?: Kind;
  /** Ends the work before the next batch; the promise is then rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** Options that do not choose what is read. */
const NOT_INPUT = ["for", "threads", "signal", "onProgress"];

/** A unit that is read as a whole and becomes a part: a file of a run, or a study. */
export type ShardToRead = Pick<Shard, "name" | "paths" | "digest"> & {
  readonly sources: readonly { readonly bytes: number }[];
};

/** The shards of a call, and a way to turn each into a part. */
export interface ShardReader<One extends ShardToRead = ShardToRead> {
  readonly kind: PartKind;
  /** The information that belongs to no single shard. */
  readonly call: PartCall;
  readonly settings: readonly string[];
  readonly shards: readonly One[];
  /** Reads a shard, once. An unreadable shard becomes a part too, which records the failure. */
  summarize(shard: One): Promise<Part>;
  /** A part without shards. */
  emptyPart(): Part;
}

/**
 * Finds the shards, reading only their beginnings.
 *
 * @throws UsageError when options contradict each other or the paths
 * @throws LogratioError the first one, when no file was recognized
 */
export async function openShardReader(
  paths: readonly string[],
  options: SummarizeOptions = {},
): Promise<ShardReader<Shard>> {
  const { for: kind = "report", signal, onProgress } = options;
  const { reads, prepare } = RUN_KINDS[kind];
  refuseForeign(kind, options);
  const sumShard = prepare(options);
  const filter = await compileFilter(options);
  const { shards, findings } = await openShards(paths, {
    ...parseRunInput(options),
    ...reads,
    ...(onProgress && { onProgress }),
  });
  const settings = inputFlags(options, NOT_INPUT);
  const id = nameCall(kind, paths, settings);
  const expected = shards.map(({ name }) => name);
  const call: PartCall = { id, paths, expected, findings: findings.toData() };
  const empty = makeEmptyPart(kind, {
    settings,
    calls: [call],
    filtersTokens: filter?.isAboutTokens === true,
  });
  return {
    kind,
    call,
    settings,
    shards,
    async summarize(shard) {
      const before = filter && { ...filter.counts };
      const { run } = shard;
      const sums = await sumShard(shardBatches(shard, filter, signal), run);
      const read: PartShard = {
        name: shard.name,
        digest: (await shard.digest()) ?? null,
        sources: sourceSummaries(run).map((source, i) => ({ ...source, run: run.sources[i]!.run })),
        findings: run.findings.toData(),
        filtered: before && filter ? difference(filter.counts, before) : null,
        checks: run.sources.length === 1 ? keepChecks(run.sources[0]!.checks) : null,
        failed: run.skipped > 0 && sums.sequencesByFile.size === 0,
      };
      return { info: { ...empty.info, shards: [read] }, sums };
    },
    emptyPart: () => empty,
  };
}

/** A part without shards. */
export function makeEmptyPart(
  kind: PartKind,
  info: Pick<PartInfo, "settings" | "calls"> & Partial<Pick<PartInfo, "filtersTokens">>,
): Part {
  const { version, makeSums } = PART_KINDS[kind];
  return {
    info: { kind, version, filtersTokens: false, ...info, shards: [], notes: [] },
    sums: makeSums(),
  };
}

/** The id of a call; the same for a repeated call. */
export function nameCall(kind: PartKind, paths: readonly string[], settings: readonly string[]): string {
  return (
    createHash("sha256")
      // A call for a report keeps the id from before there were other kinds.
      .update(JSON.stringify(kind === "report" ? [paths, settings] : [paths, settings, kind]))
      .digest("hex")
      .slice(0, 16)
  );
}

/** @throws UsageError when an option belongs to another verb */
export function refuseForeign(kind: PartKind, options: KindOptions): void {
  const own = PART_KINDS[kind].flags;
  const foreign = Object.values(PART_KINDS)
    .flatMap(({ flags }) => flags)
    .filter((name) => !own.includes(name) && options[name] !== undefined);
  if (foreign.length === 0) return;
  const flags = inputFlags(Object.fromEntries(foreign.map((name) => [name, options[name]])), []);
  const verbs = Object.entries(PART_KINDS).filter(([, of]) => of.flags.includes(foreign[0]!));
  throw new UsageError(`${flags.join(" ")} is not for ${kind}`, {
    hint: `leave it out, or add --for ${verbs.map(([name]) => name).join(",")}`,
  });
}

function difference(after: FilterTally, before: FilterTally): FilterTally {
  return {
    sequences: after.sequences - before.sequences,
    keptSequences: after.keptSequences - before.keptSequences,
    tokens: after.tokens - before.tokens,
    keptTokens: after.keptTokens - before.keptTokens,
  };
}

/**
 * An error that refuses a single shard (no token with mask 1, a damaged file) becomes a finding, or nothing if other
 * shards have tokens: the merged report judges the run.
 */
async function* shardBatches(
  { run, sources }: Shard,
  filter: BatchFilter | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<RecordBatch> {
  const batches = run.batches();
  try {
    for (;;) {
      const next = await batches.next().catch((error: unknown) => {
        if (sources.length === 1 && isLogratioError(error)) return { done: true } as const;
        throw error;
      });
      if (next.done === true) return;
      const batch = filter === undefined ? next.value : filter.apply(next.value);
      if (batch !== undefined) yield batch;
      // Summing is synchronous: without yielding to the event loop, a signal would wait for the end.
      await new Promise(setImmediate);
      signal?.throwIfAborted();
    }
  } finally {
    await batches.return(undefined);
  }
}
