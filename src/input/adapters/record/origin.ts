/**
 * What a record says about all its sequences at once: how they were sampled, and what each side ran on.
 *
 * @module
 */
import type { Sampling, SideFacts, Sides } from "../../../core/schema/index.ts";
import { ORIGIN_COLUMNS, SAMPLING_COLUMNS, SIDE_FACTS, SIDE_NAMES } from "../../../core/schema/index.ts";

/** Looks a column up by its name on disk. */
export interface OriginLookup {
  readonly number: (name: string) => number | undefined;
  readonly text: (name: string) => string | undefined;
}

const { temperature, topP, topK, logprobsMode } = ORIGIN_COLUMNS;
const NUMBERS = { temperature, topP, topK, ...SAMPLING_COLUMNS };

function someEntries<T>(entries: readonly (readonly [string, T | undefined])[]): Record<string, T> {
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, T] => entry[1] !== undefined));
}

export function readSampling({ number, text }: OriginLookup): Sampling {
  const numbers = Object.entries(NUMBERS).map(([field, name]) => [field, number(name)] as const);
  const mode = text(logprobsMode);
  return { ...someEntries(numbers), ...(mode !== undefined && { logprobsMode: mode }) };
}

/** Undefined when nothing is known about either side. */
export function readSides({ text }: OriginLookup): Sides | undefined {
  const sides = SIDE_NAMES.map((side) => {
    const facts: SideFacts = someEntries(
      SIDE_FACTS.map((fact) => [fact, text(`${side}_${fact}`) || undefined] as const),
    );
    return [side, Object.keys(facts).length > 0 ? facts : undefined] as const;
  });
  const known: Sides = someEntries(sides);
  return Object.keys(known).length > 0 ? known : undefined;
}
