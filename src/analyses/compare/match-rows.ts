/**
 * Which sequence of A belongs to which of B, surest match first: the same tokens at the same step, then the same
 * tokens, then the same sample id at a step, and last the same place in a step, if tokens can be compared.
 *
 * @module
 */
import type { HeldRow } from "./held-rows.ts";

export type MatchedBy = "tokens" | "tokens of other steps" | "id" | "place";
/** With what `Comparison.addJoined` gets: one side scored as its prompt what the other sampled. */
export type PairedBy = MatchedBy | "scored text";

/** A response with fewer tokens probably occurs under several prompts. */
const LEAST_TOKENS_ALONE = 4;

/** Whether two rows have the same prompt; undefined if nothing says so. */
export function haveSamePrompt(a: HeldRow, b: HeldRow): boolean | undefined {
  if (a.promptIds !== undefined && b.promptIds !== undefined) return a.promptIds === b.promptIds;
  if (a.promptText !== undefined && b.promptText !== undefined) return a.promptText === b.promptText;
  return undefined;
}

function isSameStep(a: HeldRow, b: HeldRow): boolean {
  return Object.is(a.step, b.step);
}

function isSameName(a: HeldRow, b: HeldRow): boolean {
  return a.sampleId !== undefined && a.sampleId === b.sampleId;
}

/** Rows with the same tokens match unless their prompts differ, or the only evidence is a few tokens. */
function canShareTokens(a: HeldRow, b: HeldRow): boolean {
  const samePrompt = haveSamePrompt(a, b);
  if (samePrompt !== undefined) return samePrompt;
  if (a.end - a.start >= LEAST_TOKENS_ALONE || isSameName(a, b) || a.place === b.place) return true;
  return a.groupId !== undefined && a.groupId === b.groupId;
}

type Key = string | number | undefined;

const KEYS: Readonly<Record<MatchedBy, (row: HeldRow) => Key>> = {
  tokens: ({ response }) => response,
  "tokens of other steps": ({ response }) => response,
  id: ({ sampleId, step }) => (sampleId === undefined ? undefined : `${step} ${sampleId}`),
  place: ({ ids, place, step }) => (ids === undefined ? undefined : `${step} ${place}`),
};

function canMatch(by: MatchedBy, a: HeldRow, b: HeldRow): boolean {
  switch (by) {
    case "tokens":
      return isSameStep(a, b) && canShareTokens(a, b);
    case "tokens of other steps":
      return canShareTokens(a, b);
    case "id":
      return true;
    case "place":
      // In runs that sampled separately, the same place holds another text; a common first token shows that it does
      // not.
      return haveSamePrompt(a, b) !== false && a.ids![a.start] === b.ids![b.start];
  }
}

/** The rows of B that have no partner yet. */
export class OpenRows {
  readonly all = new Set<HeldRow>();
  readonly #indexes = new Map<(row: HeldRow) => Key, Map<Key, HeldRow[]>>();

  add(row: HeldRow): void {
    this.all.add(row);
    this.#indexes.clear();
  }

  #index(by: MatchedBy): Map<Key, HeldRow[]> {
    const makeKey = KEYS[by];
    const known = this.#indexes.get(makeKey);
    if (known !== undefined) return known;
    const index = new Map<Key, HeldRow[]>();
    for (const row of this.all) {
      const key = makeKey(row);
      if (key === undefined) continue;
      const rows = index.get(key);
      if (rows === undefined) index.set(key, [row]);
      else rows.push(row);
    }
    this.#indexes.set(makeKey, index);
    return index;
  }

  /** Takes the partner of a row, which is then no longer open. */
  take(by: MatchedBy, row: HeldRow): HeldRow | undefined {
    let best: { readonly partner: HeldRow; readonly score: number } | undefined;
    for (const partner of this.#index(by).get(KEYS[by](row)) ?? []) {
      if (!this.all.has(partner) || !canMatch(by, row, partner)) continue;
      // Among rows with the same tokens, the one that is most alike in all else.
      const score =
        (isSameStep(row, partner) ? 8 : 0) +
        (isSameName(row, partner) ? 4 : 0) +
        (row.place === partner.place ? 2 : 0) +
        (row.groupId !== undefined && row.groupId === partner.groupId ? 1 : 0);
      if (best === undefined || score > best.score) best = { partner, score };
    }
    if (best === undefined) return undefined;
    this.all.delete(best.partner);
    return best.partner;
  }
}
