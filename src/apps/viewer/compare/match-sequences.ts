/**
 * Matches the sequences of two runs.
 *
 * @module
 */
import type { PairKind } from "../../../results/view.ts";
import type { SequenceFacts } from "./run-facts.ts";

export interface SequencePair {
  readonly a: number;
  readonly b: number;
  readonly how: PairKind;
}

type KeyOf = (facts: SequenceFacts) => string | undefined;

/**
 * Every sequence has at most one partner. The most certain matches come first: the same tokens at the same step, the
 * same tokens, the same prompt at a step, the same group at a step; among several of one kind, their order decides. For
 * equal tokens, prompts are compared only if both runs have them.
 *
 * @returns pairs in the order of a
 */
export function matchSequences(a: readonly SequenceFacts[], b: readonly SequenceFacts[]): SequencePair[] {
  const hasPrompts = [a, b].every((run) => run.some(({ prompt }) => prompt !== undefined));
  const ids: KeyOf = ({ response, prompt }) =>
    response === undefined ? undefined : `${response} ${hasPrompts ? prompt : ""}`;
  const atStep =
    (key: KeyOf): KeyOf =>
    (facts) => {
      const known = key(facts);
      return known === undefined ? undefined : `${facts.step} ${known}`;
    };
  const rounds: readonly (readonly [PairKind, KeyOf])[] = [
    ["ids", atStep(ids)],
    ["ids", ids],
    ["prompt", atStep(({ prompt }) => prompt)],
    ["group", atStep(({ group }) => group)],
  ];
  const pairs: SequencePair[] = [];
  let restA = a.map((_, index) => index);
  let restB = b.map((_, index) => index);
  for (const [how, keyOf] of rounds) {
    const waiting = queues(restB, b, keyOf);
    const taken = new Set<number>();
    restA = restA.filter((index) => {
      const key = keyOf(a[index]!);
      const partner = key === undefined ? undefined : waiting.get(key)?.next().value;
      if (partner === undefined) return true;
      taken.add(partner);
      pairs.push({ a: index, b: partner, how });
      return false;
    });
    restB = restB.filter((index) => !taken.has(index));
  }
  return pairs.sort((one, other) => one.a - other.a);
}

/** Queues of places by key; each place is taken once, in order. */
function queues(
  rest: readonly number[],
  facts: readonly SequenceFacts[],
  keyOf: KeyOf,
): ReadonlyMap<string, Iterator<number, undefined>> {
  const lists = new Map<string, number[]>();
  for (const index of rest) {
    const key = keyOf(facts[index]!);
    if (key === undefined) continue;
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [index]);
    else list.push(index);
  }
  return new Map([...lists].map(([key, list]) => [key, list.values() as Iterator<number, undefined>]));
}
