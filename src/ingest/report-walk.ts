/**
 * Findings about what walking left out.
 *
 * @module
 */
import { basename, dirname, resolve } from "node:path";
import { EmptyInputError, fileSystemError, isSystemError } from "../core/base/index.ts";
import type { FindingLog } from "../core/schema/index.ts";
import { formatBytes, plural } from "../core/text/index.ts";
import { reportSkipped } from "./select.ts";
import type { Walk } from "./walk.ts";

export function reportWalk({ unfollowed, outside, unreadable }: Walk, findings: FindingLog): void {
  for (const { path, target } of unfollowed) {
    findings.add({
      code: "note",
      severity: "warning",
      subject: "links not followed",
      count: 1,
      at: { file: path },
      likely: "it was created for convenience, or by mistake",
      hint: "if it holds data, give the path it points to",
      describe: (count) =>
        `${count} ${count === 1 ? "link" : "links"} to a parent directory ${count === 1 ? "was" : "were"} not followed, the first to ${target}`,
    });
  }
  for (const path of outside) reportOutside(path, findings);
  for (const { path, error } of unreadable) reportSkipped(findings, path, error);
}

/** A link in a directory that a confined process may not follow. */
export function reportOutside(path: string, findings: FindingLog): void {
  findings.add({
    code: "file-skipped",
    severity: "skipped",
    subject: "links that may not be followed",
    count: 1,
    at: { file: path },
    likely: "the run's files are links to another place",
    hint: "give that place as a root, too: logratio mcp ROOT…",
    describe: (count) =>
      `${count} ${count === 1 ? "link was" : "links were"} not followed: ${count === 1 ? "it leads" : "they lead"} out of the directories that may be read, or nowhere`,
  });
}

/**
 * Counts the batches that a server acknowledged but has not added to the record of its runs.
 *
 * @param isFollowed whether the run is read repeatedly, and so gets them a moment later if the server is running
 * @returns their number
 */
export async function reportWaiting(
  { served }: Walk,
  findings: FindingLog,
  isFollowed: boolean,
): Promise<number> {
  if (served.length === 0) return 0;
  // Late: what reads a server's log is for the runs that a server stores.
  const { countWaiting } = await import("../input/batch-log/index.ts");
  let total = 0;
  for (const folder of served) {
    const run = basename(resolve(folder));
    try {
      const { batches, damagedBytes, file } = await countWaiting(folder);
      if (file === undefined || batches + damagedBytes === 0) continue;
      total += batches;
      const damaged = damagedBytes === 0 ? "" : `, and ${formatBytes(damagedBytes)} of its log are damaged`;
      findings.add({
        code: "no-data",
        severity: isFollowed ? "info" : "warning",
        subject: folder,
        count: batches,
        omits: { unit: "batch", why: "waiting" },
        at: { file },
        likely: "logratio serve received them, and was ended before it added them, or is adding them now",
        hint: `start logratio serve ${dirname(folder)}, which adds them; if it runs, wait a moment`,
        describe: (count) =>
          `${plural(count, "batch", "batches")} of ${run} ${count === 1 ? "is" : "are"} not in the record yet${damaged}`,
      });
    } catch (cause) {
      if (!isSystemError(cause)) throw cause;
      reportSkipped(findings, folder, fileSystemError(cause, "read the log of", { file: folder }));
    }
  }
  return total;
}

/** The error for a served run whose only data are batches in its log. */
export function onlyWaiting(folder: string, batches: number): EmptyInputError {
  return new EmptyInputError(
    `${plural(batches, "batch", "batches")} ${batches === 1 ? "waits" : "wait"} in the log of logratio serve, and nothing is in the record yet`,
    {
      at: { file: folder },
      likely: "logratio serve received them, and was ended before it added them, or is adding them now",
      hint: `start logratio serve ${dirname(folder)}, which adds them; if it runs, wait a moment`,
    },
  );
}
