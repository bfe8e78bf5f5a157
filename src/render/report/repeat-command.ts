import { sharedPath, shellCommand } from "../../core/base/index.ts";
import type { MismatchReport } from "../../results/report.ts";

/** `logratio report` on the folder that holds all files that were read. */
export function repeatCommand({ sources }: MismatchReport): string {
  return shellCommand("report", [sharedPath(sources.map(({ file }) => file))]);
}

/** `logratio show` of one token or sequence there. */
export function showCommand({ sources }: MismatchReport, handle: string): string {
  return shellCommand("show", [sharedPath(sources.map(({ file }) => file)), handle]);
}
