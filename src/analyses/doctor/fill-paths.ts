import { quoteForShell, sharedPath } from "../../core/base/index.ts";
import type { Diagnosis } from "../../results/diagnosis.ts";

/** Stands for the run's path in the catalog's fixes. */
const PATH = /(?<=^logratio .*)\bPATH\b/gm;

/** Fills the path of the run into a diagnosis's commands. */
export function fillPaths<Found extends Pick<Diagnosis, "causes">>(
  found: Found,
  sources: readonly { readonly file: string }[],
): Found {
  const path = quoteForShell(sharedPath(sources.map(({ file }) => file)));
  return {
    ...found,
    causes: found.causes.map((cause) => ({
      ...cause,
      fix: cause.fix.map((fix) => ({ ...fix, line: fix.line.replace(PATH, () => path) })),
    })),
  };
}
