/**
 * Which scoring of one file belongs to which of the other.
 *
 * @module
 */
import type { Scoring } from "./scoring.ts";

export interface Matching {
  readonly pairs: readonly (readonly [Scoring, Scoring])[];
  readonly unmatched: number;
  /** How pairs were found: `key`, `prompt`, `order`, and how many each. */
  readonly by: Readonly<Record<"key" | "prompt" | "order", number>>;
}

function promptsAgree(a: Scoring, b: Scoring): boolean {
  return a.promptText === undefined || b.promptText === undefined || a.promptText === b.promptText;
}

/**
 * By key where prompts do not contradict it, then by prompt text, then in order of appearance when each file has one
 * only, or when as many without a key are left on both sides and no prompt contradicts.
 */
export function matchScorings(first: readonly Scoring[], second: readonly Scoring[]): Matching {
  const pairs: (readonly [Scoring, Scoring])[] = [];
  const by = { key: 0, prompt: 0, order: 0 };
  const open = new Set(second);
  let left: Scoring[] = [];

  const pass = (
    kind: "key" | "prompt",
    name: (scoring: Scoring) => string | undefined,
    items: readonly Scoring[],
  ): void => {
    const candidates = new Map<string, Scoring[]>();
    for (const scoring of open) {
      const key = name(scoring);
      if (key !== undefined) candidates.set(key, [...(candidates.get(key) ?? []), scoring]);
    }
    left = [];
    for (const scoring of items) {
      const key = name(scoring);
      const others = key === undefined ? [] : (candidates.get(key) ?? []);
      const at = others.findIndex((other) => open.has(other) && promptsAgree(scoring, other));
      if (at < 0) {
        left.push(scoring);
        continue;
      }
      const [other] = others.splice(at, 1);
      open.delete(other!);
      pairs.push([scoring, other!]);
      by[kind]++;
    }
  };

  pass("key", (scoring) => scoring.key, first);
  pass("prompt", (scoring) => scoring.promptText, left);
  const rest = [...open];
  const nothingTells =
    left.length === rest.length && left.every((scoring, i) => promptsAgree(scoring, rest[i]!));
  if (
    nothingTells &&
    ((first.length === 1 && second.length === 1) ||
      left.every((scoring, i) => scoring.key === undefined && rest[i]!.key === undefined))
  ) {
    for (const [i, scoring] of left.entries()) pairs.push([scoring, rest[i]!]);
    by.order = left.length;
    left = [];
    open.clear();
  }
  pairs.sort(([a], [b]) => a.row - b.row);
  return { pairs, unmatched: left.length + open.size, by };
}

/** Tokens up to the first that differs: only there were both log-probs given after the same text. */
export function commonPrefix(a: Scoring, b: Scoring): number {
  const most = Math.min(a.tokenIds.length, b.tokenIds.length);
  let length = 0;
  while (length < most && a.tokenIds[length] === b.tokenIds[length]) length++;
  return length;
}
