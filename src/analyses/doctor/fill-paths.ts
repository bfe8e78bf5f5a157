import { quoteForShell, sharedPath } from "../../core/base/index.ts";
import type { DoctorReport } from "../../results/index.ts";

/** In the fixes of the catalog: where the run lies. */
const PATH = /(?<=^logratio .*)\bPATH\b/gm;

/** A diagnosis whose commands name the run that was read. */
export function fillPaths(report: DoctorReport): DoctorReport {
  const path = quoteForShell(sharedPath(report.sources.map(({ file }) => file)));
  return {
    ...report,
    causes: report.causes.map((cause) => ({
      ...cause,
      fix: cause.fix.map((fix) => ({ ...fix, line: fix.line.replace(PATH, () => path) })),
    })),
  };
}
