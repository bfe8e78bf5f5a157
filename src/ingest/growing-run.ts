/**
 * A run whose files arrive over time: each file is examined once and read once.
 *
 * @module
 */

import type { RecordBatch } from "../core/schema/index.ts";
import { FindingLog } from "../core/schema/index.ts";
import { openGroups, pooled } from "./open-run.ts";
import type { ReadOptions } from "./options.ts";
import { emptyTally } from "./read-one.ts";
import { readSources, reportAcross } from "./read-run.ts";
import { isComplete, reportIncomplete } from "./select.ts";
import { compareSources, examine, type Failure, type Source, type SourceReport } from "./sources.ts";

/** The result of looking at the paths. */
export interface Growth {
  readonly name: string;
  /** Files read before and those that {@link batches} will read, in the order of `openRun`. */
  readonly sources: readonly SourceReport[];
  /** The new ones among them. */
  readonly news: readonly SourceReport[];
  /** Whether they come after everything read before, so that rows are in the order of `openRun`. */
  readonly inOrder: boolean;
  /** Files of the run that are not read yet. */
  readonly waiting: readonly string[];
  /** Findings about the files as they are now; grows while batches are read. */
  findings(): FindingLog;
  /** Batches of the new files. Must be read to the end; after an error the run must be started again. */
  batches(): AsyncGenerator<RecordBatch>;
}

export interface GrowingRun {
  /**
   * Lists the files again and examines unknown ones.
   *
   * @param stamps by path; a new stamp means new content
   * @param mayRead whether an unread file may be read now; `complete` is false while its trainer has not
   * marked the folder as complete
   * @returns why what was read no longer belongs to the run, which must then be started again
   * @throws what `openRun` throws
   */
  look(
    stamps: ReadonlyMap<string, string>,
    mayRead: (source: SourceReport, complete: boolean) => boolean,
  ): Promise<Growth | { readonly broken: string }>;
}

/** A run whose files have not been read yet. */
export function growingRun(paths: readonly string[], options: ReadOptions = {}): GrowingRun {
  const examined = new Map<string, { stamp: string; result: Source | Failure; findings: FindingLog }>();
  /** Files that were read, and those that were read with them, with their stamps then. */
  const read = new Map<string, string>();
  const beside = new Map<string, string>();
  const noticed = new FindingLog();
  const tally = emptyTally();
  let last: Source | undefined;

  return {
    async look(stamps, mayRead) {
      for (const [path, stamp] of [...read, ...beside]) {
        const now = stamps.get(path);
        if (now === undefined) return { broken: `${path}, which was read before, is gone` };
        if (now !== stamp) return { broken: `${path}, which was read before, has changed` };
      }
      const opened = await openGroups(paths, options, async (file, asked) => {
        const stamp = stamps.get(file.path);
        let known = examined.get(file.path);
        if (known === undefined || stamp === undefined || known.stamp !== stamp) {
          const findings = new FindingLog();
          const result = await examine(file, { ...asked, findings });
          // Fully parsed documents are handed out once: keeping them would hold the run in memory.
          known = { stamp: stamp ?? "", result, findings };
          examined.set(file.path, {
            ...known,
            result: "error" in result ? result : { ...result, document: undefined },
          });
        }
        asked.findings.addAll(known.findings);
        return known.result;
      });
      const { name, sources, isPair } = await pooled(paths, opened, options);
      if (isPair) return { broken: "two files make one run: they are read together" };
      const ordered = [...sources].sort(compareSources);
      const places = new Map(ordered.map((source, place) => [source.file.path, place]));
      for (const path of read.keys())
        if (!places.has(path))
          return { broken: `${path}, which was read before, is now left out in favor of newer files` };
      const isNew = ({ file }: Source): boolean => !read.has(file.path);
      const may = (source: Source): boolean => {
        const stamp = stamps.get(source.file.path);
        return stamp !== undefined && mayRead(source.report, isComplete(source, opened.markers));
      };
      const news = ordered.filter((source) => isNew(source) && may(source));
      const waiting = ordered.filter((source) => isNew(source) && !news.includes(source));
      const kept = ordered.filter((source) => !waiting.includes(source));
      const [first] = news;
      const inOrder = first === undefined || last === undefined || compareSources(last, first) <= 0;
      reportIncomplete(kept, opened.markers, opened.findings);
      return {
        name,
        sources: kept.map(({ report }) => report),
        news: news.map(({ report }) => report),
        inOrder,
        waiting: waiting.map(({ file }) => file.path),
        findings() {
          const all = new FindingLog();
          all.addAll(opened.findings);
          all.addAll(noticed);
          reportAcross(kept, all);
          return all;
        },
        async *batches() {
          for (const { file, companions } of news) {
            read.set(file.path, stamps.get(file.path)!);
            for (const { file: other } of companions) beside.set(other.path, stamps.get(other.path)!);
          }
          last = kept.at(-1);
          yield* readSources(news, options, noticed, () => {}, tally);
        },
      };
    },
  };
}
