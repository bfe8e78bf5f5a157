/**
 * Attention to errors head by head, summed over the texts of a checkpoint: as many numbers as it has heads, however many
 * texts there are.
 *
 * @module
 */
import type { ScoredText } from "../study.ts";

export interface HeadSums {
  readonly texts: number;
  readonly layers: number;
  /** `[layers, heads]`, of the checkpoint and of the reference. */
  readonly own: Float64Array;
  readonly reference: Float64Array;
}

/** The sums with one text more; a text without an error, or whose policies have other heads, adds nothing. */
export function addHeads(sums: HeadSums | undefined, { p, q }: ScoredText): HeadSums | undefined {
  const [own, reference] = [p.attentionHeads, q.attentionHeads];
  if (own === undefined || reference === undefined || own.layers === 0) return sums;
  const size = sums?.own.length ?? own.shares.length;
  const layers = sums?.layers ?? own.layers;
  if ([own, reference].some((one) => one.layers !== layers || one.shares.length !== size)) return sums;
  const add = (before: Float64Array | undefined, shares: ArrayLike<number>): Float64Array =>
    Float64Array.from({ length: size }, (_, head) => (before?.[head] ?? 0) + (shares[head] as number));
  return {
    texts: (sums?.texts ?? 0) + 1,
    layers,
    own: add(sums?.own, own.shares),
    reference: add(sums?.reference, reference.shares),
  };
}

export interface StrongestHead {
  /** From 0. */
  readonly layer: number;
  readonly head: number;
  /** Share of its attention that goes to the error, mean over texts. */
  readonly share: number;
  readonly referenceShare: number;
}

/** The checkpoint's head that looks at errors most; of equal ones, the first. */
export function strongestHead({ texts, layers, own, reference }: HeadSums): StrongestHead {
  const place = own.reduce((best, sum, head) => (sum > (own[best] as number) ? head : best), 0);
  const heads = own.length / layers;
  return {
    layer: Math.floor(place / heads),
    head: place % heads,
    share: (own[place] as number) / texts,
    referenceShare: (reference[place] as number) / texts,
  };
}
