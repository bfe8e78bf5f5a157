/**
 * Dumps that hold only text: how to recognize them, and which trainer writes them.
 *
 * @module
 */
import { TRAINERS } from "../../registry/index.ts";
import type { TextDump } from "../../shared/trainer.ts";

export interface OneSidedDump extends TextDump {
  readonly trainer: string;
  /** The dump has neither policy's log-probs. */
  readonly has: "text";
}

/** More specific dumps first; those recognized by only two keys last. */
const ONE_SIDED_DUMPS: readonly OneSidedDump[] = TRAINERS.flatMap(({ title, textDumps = [] }) =>
  textDumps.map((dump): OneSidedDump => ({ ...dump, trainer: title, has: "text" })),
).sort((a, b) => Number(isVague(a)) - Number(isVague(b)));

function isVague({ keys, anyOf = [] }: TextDump): boolean {
  return keys.length + anyOf.length <= 2;
}

/** The first dump whose keys are all in `names`. */
export function recognise(names: ReadonlySet<string>): OneSidedDump | undefined {
  return ONE_SIDED_DUMPS.find(
    ({ keys, anyOf }) =>
      keys.every((key) => names.has(key)) && (anyOf === undefined || anyOf.some((key) => names.has(key))),
  );
}
