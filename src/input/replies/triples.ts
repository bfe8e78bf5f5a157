/**
 * SGLang's lists of `[log-prob, id, text | null]`.
 *
 * @module
 */
import { toList } from "./json.ts";

export interface Triple {
  /** Log-prob as in the reply: a number, a sentinel, null. */
  readonly logprob: unknown;
  readonly id: number;
  /** Null unless texts were requested. */
  readonly text: string | null;
}

/** The triples of a list; other entries are left out. */
export function readTriples(list: unknown): Triple[] {
  return (toList(list) ?? []).flatMap((entry) => {
    const triple = toList(entry);
    if (triple === undefined) return [];
    const [logprob, id, text] = triple;
    return [{ logprob, id: Number(id), text: typeof text === "string" ? text : null }];
  });
}
