import { quoteForShell, sharedPath } from "../../core/base/index.ts";
import type { Diagnosis } from "../../results/diagnosis.ts";

/** In the fixes of the catalog: where the run lies. */
const PATH = /(?<=^logratio .*)\bPATH\b/gm;

/** A diagnosis whose commands name the run that was read. */
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
