/**
 * vLLM's log-probs of one position in a text: `{"<token id>": {logprob, rank, decoded_token}}`, the position's own
 * token and the most probable ones.
 *
 * @module
 */
import { isObject } from "../../core/base/index.ts";
import type { Alternative } from "./alternatives.ts";
import { member, numberAt, textAt } from "./json.ts";

export interface Position {
  /** The position's own token. */
  readonly logprob: unknown;
  /** -1 when the reply does not say. */
  readonly rank: number;
  /** Text from the server's tokenizer; undefined when the reply does not say. */
  readonly text: string | undefined;
  /** All entries, including its own, in the reply's order. */
  readonly entries: readonly Alternative[];
}

/** The ids that a position names. */
export function listIds(place: unknown): string[] {
  return isObject(place) ? Object.keys(place) : [];
}

/** @returns undefined when the token `id` is not among the position's entries */
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

/** Versions before 0.4 wrote only the log-prob. */
function readEntry(entry: unknown): unknown {
  return isObject(entry) ? member(entry, "logprob") : entry;
}
