/**
 * The reference implementation of the distribution kernel: defines every figure of `logit-block.ts`, in float64. No
 * figure is a difference of larger ones, so that each keeps its digits if a distribution is nearly certain, or two are
 * nearly equal.
 *
 * @module
 */

import type { DistributionRows } from "../logit-block.ts";
import { isColumn } from "./rows.ts";

/**
 * A softmax that avoids rounding: Σ exp(z − max) = 1 + rest, where the maximum's own term is exactly 1. So log p = (z −
 * max) − log1p(rest), and −log p of the maximum is log1p(rest) however small that is.
 */
export interface Softmax {
  readonly max: number;
  readonly rest: number;
  /** Σ exp(z − max) (max − z): the entropy is log1p(rest) + weighted / (1 + rest). */
  readonly weighted: number;
}

/** The softmax of the columns `[from, to)`; undefined if one is NaN or +inf, or none is finite. */
export function computeSoftmax(logits: ArrayLike<number>, from: number, to: number): Softmax | undefined {
  let max = Number.NEGATIVE_INFINITY;
  let at = from;
  for (let i = from; i < to; i++) {
    const z = logits[i]!;
    if (!(z < Number.POSITIVE_INFINITY)) return undefined;
    if (z > max) [max, at] = [z, i];
  }
  if (max === Number.NEGATIVE_INFINITY) return undefined;
  let rest = 0;
  let weighted = 0;
  for (let i = from; i < to; i++) {
    const below = max - logits[i]!;
    if (i === at || below === Number.POSITIVE_INFINITY) continue;
    const term = Math.exp(-below);
    rest += term;
    weighted += term * below;
  }
  return { max, rest, weighted };
}

export function computeEntropy({ rest, weighted }: Softmax): number {
  return Math.log1p(rest) + weighted / (1 + rest);
}

export function computeLogprob(logit: number, { max, rest }: Softmax): number {
  return logit - max - Math.log1p(rest);
}

/** Fills row `row` of `into` from its logits. */
export function describeRow(
  logits: Float32Array,
  token: number,
  k: number,
  row: number,
  into: DistributionRows,
): void {
  const softmax = computeSoftmax(logits, 0, logits.length);
  if (!softmax) return;
  into.logSumExp[row] = softmax.max + Math.log1p(softmax.rest);
  into.entropies[row] = computeEntropy(softmax);
  if (isColumn(token, logits.length)) {
    const own = logits[token]!;
    let larger = 0;
    for (let i = 0; i < logits.length; i++) if (logits[i]! > own) larger++;
    into.logprobs[row] = computeLogprob(own, softmax);
    into.ranks[row] = 1 + larger;
  }
  topColumns(logits, k).forEach((id, i) => {
    into.topIds[row * k + i] = id;
    into.topLogprobs[row * k + i] = computeLogprob(logits[id]!, softmax);
  });
}

/** Up to `k` columns, largest logit first, the smaller id first among equals. */
function topColumns(logits: Float32Array, k: number): Int32Array {
  const ids = new Int32Array(Math.min(k, logits.length));
  let filled = 0;
  for (let id = 0; id < logits.length && k > 0; id++) {
    const logit = logits[id]!;
    if (filled === ids.length && !(logit > logits[ids[filled - 1]!]!)) continue;
    let place = filled < ids.length ? filled++ : filled - 1;
    for (; place > 0 && logits[ids[place - 1]!]! < logit; place--) ids[place] = ids[place - 1]!;
    ids[place] = id;
  }
  return ids;
}
