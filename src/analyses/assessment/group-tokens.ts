import { deltaOf, impactOf, type LargeToken } from "../../core/summaries/index.ts";

/**
 * Tokens of an answer with at most one token between them form one stretch: `100` for `110` may differ in each digit.
 */
const FURTHEST_IN_STRETCH = 2;

/** Tokens of the same mistake, the largest |Δ| first. */
export type TokenGroup = readonly [LargeToken, ...LargeToken[]];

/**
 * Groups tokens into mistakes: the same content in answers to one prompt, and neighboring tokens in one answer.
 *
 * @param tokens in an order that breaks ties between equally large tokens
 */
export function groupTokens(tokens: readonly LargeToken[]): TokenGroup[] {
  const groups = new DisjointSets(tokens.length);
  const byContent = new Map<number, number>();
  for (const [i, { content }] of tokens.entries()) {
    const first = byContent.get(content);
    if (first === undefined) byContent.set(content, i);
    else groups.join(first, i);
  }
  for (const answer of groupAnswers(tokens)) {
    for (const [i, at] of answer.entries()) {
      const before = answer[i - 1];
      if (before === undefined) continue;
      if (tokens[at]!.token - tokens[before]!.token <= FURTHEST_IN_STRETCH) groups.join(before, at);
    }
  }
  const members = new Map<number, LargeToken[]>();
  for (const [i, token] of tokens.entries()) {
    const root = groups.find(i);
    const group = members.get(root);
    if (group === undefined) members.set(root, [token]);
    else group.push(token);
  }
  const size = (token: LargeToken): number => Math.abs(deltaOf(token));
  return [...members.values()].map(
    (group) => group.sort((a, b) => size(b) - size(a)) as [LargeToken, ...LargeToken[]],
  );
}

/** A key that identifies an answer. */
export function answerOf({ file, batch, step, rank, row }: LargeToken): string {
  return `${batch} ${step} ${rank} ${row} ${file}`;
}

/** Indices into `tokens`, by answer, in the order of the answer. */
function groupAnswers(tokens: readonly LargeToken[]): number[][] {
  const answers = new Map<string, number[]>();
  for (const [i, token] of tokens.entries()) {
    const name = answerOf(token);
    const known = answers.get(name);
    if (known === undefined) answers.set(name, [i]);
    else known.push(i);
  }
  return [...answers.values()].map((places) => places.sort((a, b) => tokens[a]!.token - tokens[b]!.token));
}

/** Sums over the tokens of a mistake. */
export interface GroupSums {
  readonly deltaAbs: number;
  /** Σ|A||ρ − 1|; null if no advantage is known. */
  readonly impact: number | null;
}

export function sumGroup(group: TokenGroup): GroupSums {
  let [deltaAbs, impact, known] = [0, 0, 0];
  for (const token of group) {
    deltaAbs += Math.abs(deltaOf(token));
    const of = impactOf(token);
    if (Number.isNaN(of)) continue;
    impact += of;
    known++;
  }
  return { deltaAbs, impact: known === 0 ? null : impact };
}

/** Which of `count` items belong together (union by the smaller number, with path halving). */
class DisjointSets {
  readonly #parents: Int32Array;

  constructor(count: number) {
    this.#parents = Int32Array.from({ length: count }, (_, i) => i);
  }

  find(of: number): number {
    let at = of;
    while (this.#parents[at] !== at) {
      const above = this.#parents[this.#parents[at]!]!;
      this.#parents[at] = above;
      at = above;
    }
    return at;
  }

  join(a: number, b: number): void {
    const [first, second] = [this.find(a), this.find(b)];
    this.#parents[Math.max(first, second)] = Math.min(first, second);
  }
}
