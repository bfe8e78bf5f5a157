/**
 * Findings about what walking left out.
 *
 * @module
 */
import type { FindingLog } from "../../core/schema/index.ts";
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
