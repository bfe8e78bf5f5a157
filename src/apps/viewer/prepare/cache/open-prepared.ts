import { dirname } from "node:path";
import type { RunInfo } from "../../../../results/view.ts";
import { RunQueries } from "../sql/query-run.ts";
import { alertListFile, readAlertList, stampAlertList } from "./alert-list.ts";
import { correctionAnswers, everySequence, rowAnswers, sequenceAnswers } from "./answer-questions.ts";
import { changeFilter, filterListFile, readFilterList } from "./filter-list.ts";
import { openCacheFiles } from "./opened-cache.ts";
import type { PreparedRun } from "./prepared-run.ts";
import { changeStar, readStarList, starListFile } from "./star-list.ts";

export interface OpenOptions {
  readonly reused: boolean;
  readonly complete: boolean;
  readonly status: RunInfo["status"];
  readonly growing?: string;
  readonly readShare?: number;
  readonly paths: readonly string[];
  readonly flags: readonly string[];
  /** Called after closing. */
  readonly onClosed?: () => Promise<void>;
}

/**
 * Opens an intact cache.
 *
 * @throws FormatError when the cache is damaged
 */
export async function openPrepared(
  directory: string,
  { reused, complete, status, growing, readShare, paths, flags, onClosed }: OpenOptions,
): Promise<PreparedRun> {
  const input = { paths, flags };
  const now = {
    ...{ input, status },
    ...(growing !== undefined && { growing }),
    ...(readShare !== undefined && { read_share: readShare }),
  };
  const cache = await openCacheFiles(directory, now);
  const alertFile = alertListFile(dirname(directory), paths);
  const filterFile = filterListFile(dirname(directory), paths);
  const starFile = starListFile(dirname(directory), paths);
  const queries = new RunQueries({
    info: cache.info,
    table: () => cache.source.table(),
    sequences: () => everySequence(cache),
  });
  return {
    ...{ info: cache.info, directory, reused, complete },
    answer: async (name) => cache.answers.get(name) ?? cache.readTable(),
    alerts: () => readAlertList(alertFile),
    alertsStamp: () => stampAlertList(alertFile),
    stars: () => readStarList(starFile),
    changeStar: (change) => changeStar(starFile, change),
    savedFilters: () => readFilterList(filterFile),
    changeFilter: (change) => changeFilter(filterFile, change),
    digits: () => Promise.resolve(cache.digits),
    ...sequenceAnswers(cache),
    ...correctionAnswers(cache, input),
    ...rowAnswers(cache, input),
    sql: (query, signal) => queries.ask(query, signal),
    async close() {
      await queries.close();
      await cache.close();
      await onClosed?.();
    },
  };
}
