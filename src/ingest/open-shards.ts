/**
 * From paths to shards: the files of a run, each read on its own, so that their summaries can be made anywhere.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { FindingLog } from "../core/schema/index.ts";
import { makeRun, openGroups, pooled, type Run } from "./open-run.ts";
import type { ReadOptions } from "./options.ts";
import { digestEnds } from "./same-files.ts";
import { compareSources, type Source, type SourceReport } from "./sources.ts";

/** A file of a run, or files that are only readable together: the two sides of a pair. */
export interface Shard {
  /** The file's path; for a pair, that of its first file. */
  readonly name: string;
  readonly sources: readonly SourceReport[];
  /** All its files; opened on their own, they give this shard. */
  readonly paths: readonly string[];
  /** Can be read once. Its findings are about this shard only. */
  readonly run: Run;
  /**
   * Digest of size, step, rank and both ends of its files, in hexadecimal; undefined when they can be read only once.
   *
   * @throws LogratioError where the file cannot be read
   */
  digest(): Promise<string | undefined>;
}

export interface Shards {
  /** In the order in which a single process reads them. */
  readonly shards: readonly Shard[];
  /** Findings of choosing the files. */
  readonly findings: FindingLog;
}

/**
 * Opens the paths like `openRun`, with each file as a run of its own. Files that complete each other stay together.
 *
 * @throws NotFoundError when a path does not exist
 * @throws UsageError when options contradict the paths
 * @throws LogratioError the first error, when nothing could be recognized
 */
export async function openShards(paths: readonly string[], options: ReadOptions = {}): Promise<Shards> {
  const opened = await openGroups(paths, options);
  const group = await pooled(paths, opened, options);
  const { findings } = opened;
  const make = (sources: readonly Source[], run: Run): Shard => ({
    name: sources[0]!.report.file,
    sources: sources.map(({ report }) => report),
    paths: sources.flatMap(({ file, companions }) => [
      file.path,
      ...companions.map((other) => other.file.path),
    ]),
    run,
    digest: () => digestSources(sources),
  });
  if (group.isPair)
    return { shards: [make(group.sources, makeRun(group, new FindingLog(), opened, options))], findings };
  const shards = [...group.sources].sort(compareSources).map((source) => {
    const alone = { name: source.report.run, sources: [source], isPair: false } as const;
    return make([source], makeRun(alone, new FindingLog(), opened, options, true));
  });
  return { shards, findings };
}

async function digestSources(sources: readonly Source[]): Promise<string | undefined> {
  const hash = createHash("sha256");
  for (const source of sources) {
    const { file, report } = source;
    if (file.path === "-" || file.pipe === true) return undefined;
    hash.update(
      `${report.step} ${report.rank} ${report.bytes} ${report.format}\n${await digestEnds(source)}\n`,
    );
  }
  return hash.digest("hex").slice(0, 32);
}
