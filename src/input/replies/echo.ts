/**
 * `choices[].logprobs` of the completions protocol, with the prompt echoed or not.
 *
 * @module
 */

import { isObject } from "../../core/base/index.ts";
import type { Alternative, Offer } from "./alternatives.ts";
import { listAt, member } from "./json.ts";
import { parseLogprob } from "./logprob.ts";

export interface EchoToken {
  /** As in the reply: text, or `token_id:N`. */
  readonly token: string;
  readonly logprob: unknown;
  /** Text (or `token_id:N`) of each alternative and its log-prob, in the reply's order. */
  readonly top: readonly (readonly [string, unknown])[];
}

/** The tokens of a `logprobs` block; undefined when the choice has none. */
export function echoTokens(choice: unknown): readonly EchoToken[] | undefined {
  const block = member(choice, "logprobs");
  const tokens = listAt(block, "tokens");
  const logprobs = listAt(block, "token_logprobs");
  if (tokens === undefined || logprobs === undefined) return undefined;
  const tops = listAt(block, "top_logprobs");
  return tokens.map((token, index) => {
    const top = tops?.[index];
    return {
      token: String(token),
      logprob: logprobs[index],
      top: isObject(top) ? Object.entries(top) : [],
    };
  });
}

/** N of `token_id:N`. */
export function placeholderId(token: string): number | undefined {
  const digits = /^token_id:(\d+)$/.exec(token)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Turns a token's text into its id; undefined when it is not a single token. */
export type IdOf = (token: string) => number | undefined;

/**
 * The alternatives with their ids, most probable first. One without a known id ends the list, since everything left
 * out must be less probable than everything kept.
 */
export function listAlternatives(top: EchoToken["top"], idOf: IdOf): Alternative[] {
  const sorted = [...top].sort(([, a], [, b]) => Number(b) - Number(a));
  const known: Alternative[] = [];
  for (const [token, logprob] of sorted) {
    const id = idOf(token);
    if (id === undefined) break;
    known.push({ id, logprob });
  }
  return known;
}

/** How many alternatives a token has. */
export function readOffer({ top, logprob }: EchoToken): Offer {
  const own = parseLogprob(logprob);
  const ownIsLast = top.every(([, other]) => parseLogprob(other) >= own);
  return { entries: top.length, ownIsLast, rank: -1 };
}
