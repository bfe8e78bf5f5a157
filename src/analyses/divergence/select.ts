/**
 * The tokens whose two probabilities are furthest apart, from what the fused pass already knows: it leaves the largest
 * |Δp| of every row, so only rows whose largest can be among the k best are looked into. That is at most k rows, and
 * those that tie with the k-th. What is looked at goes through a heap of k; nothing is sorted but its content.
 *
 * @module
 */

import type { MismatchTable, TokenBlock } from "../../core/kernels/index.ts";
import { ABS_PROB_DIFF_MAX, computeProbDiff, FIELDS, PROB_COUNT } from "../../core/kernels/index.ts";
import { BoundedHeap } from "./bounded-heap.ts";

/** A token on its way into the log. */
export interface Candidate {
  /** |exp(trainer) − exp(rollout)|, in float64. */
  readonly divergence: number;
  /** Number of the sequence among all that were offered; ties go to the smaller one. */
  readonly sequence: number;
  /** Index of the token in its sequence. */
  readonly token: number;
}

export type TopTokens<C extends Candidate> = BoundedHeap<C>;

export function topTokens<C extends Candidate>(k: number): TopTokens<C> {
  return new BoundedHeap<C>(k, (a, b) => {
    if (a.divergence !== b.divergence) return a.divergence > b.divergence;
    return a.sequence !== b.sequence ? a.sequence < b.sequence : a.token < b.token;
  });
}

/** The pass computes the largest |Δp| to 1e-5 or better; what is decided on it leaves this much room, relative to it. */
const PASS_ROOM = 2e-5;
/** The same for bounds that are computed in float64. */
const BOUND_ROOM = 1e-12;

/**
 * Offers the tokens of the rows `[rowStart, rowEnd)` that can be among the best. `table` is what `mismatchSums` gave
 * for these rows. Counted are tokens with mask 1 and two known probabilities, either of which may be 0.
 */
export function offerTokens<C extends Candidate>(
  block: TokenBlock,
  table: MismatchTable,
  [rowStart, rowEnd]: readonly [number, number],
  top: TopTokens<C>,
  candidateOf: (divergence: number, row: number, token: number) => C,
): void {
  const at = (row: number, field: number): number => table.rows[(row - rowStart) * FIELDS + field]!;
  const rows = new BoundedHeap<number>(top.capacity, (a, b) => a > b);
  for (let row = rowStart; row < rowEnd; row++)
    if (at(row, PROB_COUNT) > 0) rows.offer(at(row, ABS_PROB_DIFF_MAX));
  // k rows have a token of at least this, so that no smaller one is among the k best.
  const least = rows.full ? rows.worst! * (1 - PASS_ROOM) : 0;

  for (let row = rowStart; row < rowEnd; row++) {
    const reached = top.full ? top.worst!.divergence : 0;
    if (at(row, PROB_COUNT) === 0) continue;
    if (at(row, ABS_PROB_DIFF_MAX) < Math.max(least, reached * (1 - PASS_ROOM))) continue;
    offerRow(block, row, least, top, candidateOf);
  }
}

/**
 * Two probabilities that differ by g are at least g and at most 1 − g, which their logarithms tell without computing
 * either. Log-probs above 0 are not logarithms of probabilities: such tokens are always computed.
 */
function offerRow<C extends Candidate>(
  { rollout, trainer, mask, offsets }: TokenBlock,
  row: number,
  least: number,
  top: TopTokens<C>,
  candidateOf: (divergence: number, row: number, token: number) => C,
): void {
  const from = offsets[row]!;
  const to = offsets[row + 1]!;
  let bound = computeBound(least, top);
  let high = Math.log(bound);
  let low = Math.log1p(-bound);
  for (let i = from; i < to; i++) {
    const a = rollout[i]!;
    const b = trainer[i]!;
    // Two comparisons that nearly always fall out alike: their maximum would be as quick to guess as a coin.
    if ((a < high && b < high) || mask[i] === 0) continue;
    if (a > low && b > low && a <= 0 && b <= 0) continue;
    const divergence = Math.abs(computeProbDiff(a, b));
    // NaN: a log-prob is not known, or so far above 0 that its probability overflows.
    if (Number.isNaN(divergence)) continue;
    top.offer(candidateOf(divergence, row, i - from));
    bound = computeBound(least, top);
    high = Math.log(bound);
    low = Math.log1p(-bound);
  }
}

function computeBound<C extends Candidate>(least: number, top: TopTokens<C>): number {
  return Math.max(least, top.full ? top.worst!.divergence : 0) * (1 - BOUND_ROOM);
}
