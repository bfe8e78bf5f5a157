/**
 * Findings about what walking left out.
 *
 * @module
 */
import type { FindingLog } from "../../core/schema/index.ts";
import { reportSkipped } from "./select.ts";
import type { Walk } from "./walk.ts";

export function reportWalk({ unfollowed, unreadable }: Walk, findings: FindingLog): void {
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
  for (const { path, error } of unreadable) reportSkipped(findings, path, error);
}
