/**
 * Where a verb's sums come from if it does not read dumps itself: from given parts, or from a cluster.
 *
 * @module
 */

import { UsageError } from "../../core/base/index.ts";
import type { SumsByKind } from "../../parts/index.ts";
import { areParts, decidesSums, mergePaths, type Part, type PartKind } from "../../parts/index.ts";
import type { ExitStatus } from "./exit-status.ts";
import { type PlaceOptions, refuseStrayParts } from "./input-options.ts";
import { inputFlags } from "./read-run.ts";
import type { Terminal } from "./terminal.ts";

/** What a verb does with a merged part; `wasSkipped` says that a cluster gave up on some shards. */
export type AnswerPart<Kind extends PartKind> = (
  part: Part<SumsByKind[Kind]>,
  wasSkipped: boolean,
) => Promise<ExitStatus>;

/**
 * Answers from parts, or from a cluster's result; undefined if dumps should be read here.
 *
 * @throws UsageError if flags select what to read from parts, whose content is fixed
 */
export async function answerFromParts<Kind extends PartKind>(
  kind: Kind,
  paths: readonly string[],
  { on, parts, ...options }: PlaceOptions & object,
  answer: AnswerPart<Kind>,
  terminal: Terminal,
): Promise<ExitStatus | undefined> {
  refuseStrayParts({ ...(on !== undefined && { on }), ...(parts !== undefined && { parts }) });
  if (on !== undefined) {
    const { summarizeOnRay } = await import("./on-ray.ts");
    return summarizeOnRay(
      kind,
      paths,
      { ...options, on, ...(parts !== undefined && { parts }) },
      async (part, wasSkipped) => answer(await mergePaths(kind, [part]), wasSkipped),
      terminal,
    );
  }
  if (!(await areParts(paths))) return undefined;
  const chosen = Object.fromEntries(
    Object.entries(options).filter(([name]) => decidesSums(kind, name, options)),
  );
  const flags = inputFlags(chosen, []);
  if (flags.length > 0)
    throw new UsageError(`${flags.join(" ")} belongs to summarize: ${paths[0]} contains results, not dumps`, {
      hint: `logratio summarize ${kind === "kl" ? "STUDIES" : "DUMPS"} --for ${kind} ${flags.join(" ")} --out DIR`,
    });
  return answer(await mergePaths(kind, paths), false);
}

/** The paths and flags with which the shards of a part were read, as for a single process. */
export function readWith({ info }: Part): {
  readonly paths: readonly string[];
  readonly flags: readonly string[];
} {
  return { paths: [...new Set(info.calls.flatMap((call) => call.paths))].sort(), flags: info.settings };
}
