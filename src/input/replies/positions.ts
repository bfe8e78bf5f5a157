/**
 * vLLM's account of one place in a text: `{"<token id>": {logprob, rank, decoded_token}}`, the place's own token and the
 * most probable ones.
 *
 * @module
 */
import type { Alternative } from "./alternatives.ts";
import { isObject, member, numberAt, textAt } from "./json.ts";

export interface Position {
  /** The place's own token. */
  readonly logprob: unknown;
  /** -1 where the reply does not say. */
  readonly rank: number;
  /** As the server's tokenizer writes it; undefined where the reply does not say. */
  readonly text: string | undefined;
  /** All entries, the own one included, in the reply's order. */
  readonly entries: readonly Alternative[];
}

/** The ids that a place names. */
export function listIds(place: unknown): string[] {
  return isObject(place) ? Object.keys(place) : [];
}

/** @returns undefined where the token `id` is not among the place's entries */
export function readPosition(place: unknown, id: number): Position | undefined {
  const own = member(place, String(id));
  if (own === undefined || !isObject(place)) return undefined;
  const entries = Object.entries(place).map(
    ([key, value]): Alternative => ({ id: Number(key), logprob: readEntry(value) }),
  );
  return {
    logprob: readEntry(own),
    rank: numberAt(own, "rank") ?? -1,
    text: textAt(own, "decoded_token"),
    entries,
  };
}

/** Versions before 0.4 wrote the log-prob alone. */
function readEntry(entry: unknown): unknown {
  return isObject(entry) ? member(entry, "logprob") : entry;
}
