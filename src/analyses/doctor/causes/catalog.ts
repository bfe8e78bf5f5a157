/** Every cause that the doctor knows, by id. */
import type { Fix } from "../../../results/diagnosis.ts";
import { TRAINERS } from "../../../trainers/registry/index.ts";
import { ALIGNMENT } from "./alignment.ts";
import { type Cause, type CauseText, FROM_TRAINERS } from "./cause.ts";
import { CONTEXT } from "./context.ts";
import { MASK } from "./mask.ts";
import { MEANING } from "./meaning.ts";
import { MISSING } from "./missing.ts";
import { NUMERICS } from "./numerics.ts";
import { WEIGHTS } from "./weights.ts";
import { WHERE } from "./where.ts";

const HEALTH: readonly CauseText[] = [
  {
    id: "healthy",
    family: "healthy",
    title: "Nothing is wrong",
    description:
      "The precision of the engine explains the difference, or a coarser one that leaves no trace in log-probs.",
    fix: [],
  },
  {
    id: "cannot_tell",
    family: "healthy",
    title: "None of these causes",
    description: "The data do not show the cause, or the doctor does not know it.",
    fix: [],
  },
];

export const CAUSES: ReadonlyMap<string, Cause> = new Map(
  [
    ...MEANING,
    ...ALIGNMENT,
    ...MASK,
    ...CONTEXT,
    ...WEIGHTS,
    ...NUMERICS,
    ...MISSING,
    ...WHERE,
    ...HEALTH,
  ].map((cause) => [cause.id, { ...cause, fix: cause.fix.flatMap((fix) => complete(fix, cause.id)) }]),
);

function complete(fix: Fix | typeof FROM_TRAINERS, cause: string): Fix | readonly Fix[] {
  if (fix !== FROM_TRAINERS) return fix;
  return TRAINERS.flatMap(({ name, fixes = [] }) =>
    fixes
      .filter(({ causes }) => causes.includes(cause))
      .map(({ line, note }): Fix => ({ trainer: name, line, is_code: true, note })),
  );
}
