import type { Finding } from "../../../../core/schema/index.ts";

/** Findings, adjusted for a run whose rest is still to come. */
export interface Judged {
  readonly findings: readonly Finding[];
  /** Files that are not read to their end. */
  readonly writing: readonly string[];
}

/**
 * Findings about files that are still being written become a note that they are.
 *
 * @param waiting files that are part of the run and were not read yet
 * @param unsettled files that were changed a moment ago
 */
export function judgeFindings(
  noticed: readonly Finding[],
  waiting: readonly string[],
  unsettled: ReadonlySet<string>,
): Judged {
  const unfinished = new Set(noticed.filter((finding) => isUnfinished(finding, unsettled)));
  return {
    findings: [
      ...noticed.map((finding) =>
        unfinished.has(finding) ? stillWritten(finding.at.file!, finding.count) : finding,
      ),
      ...waiting.map((file) => stillWritten(file, 1)),
    ],
    writing: [...new Set([...[...unfinished].map(({ at }) => at.file!), ...waiting])],
  };
}

/** Unreadable parts of a file changed a moment ago may still be being written. */
export function isUnfinished({ at, severity, code }: Finding, unsettled: ReadonlySet<string>): boolean {
  if (at.file === undefined || !unsettled.has(at.file)) return false;
  return severity === "skipped" || code === "partial-line";
}

function stillWritten(file: string, count: number): Finding {
  const message = `${file} is still being written and will be read when it is complete`;
  return { code: "note", severity: "info", message, count, at: { file } };
}
