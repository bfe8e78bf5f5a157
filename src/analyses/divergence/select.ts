/**
 * Finds the tokens whose two probabilities are furthest apart from what the fused pass already knows: the largest |Δp|
 * of every row. Only rows whose largest can be among the k best are examined: at most k rows, and those that tie with
 * the k-th. Candidates go through a heap of size k; only its content is sorted.
 *
 * @module
 */

import type { MismatchTable, TokenBlock } from "../../core/kernels/index.ts";
import { ABS_PROB_DIFF_MAX, computeProbDiff, FIELDS, PROB_COUNT } from "../../core/kernels/index.ts";
import { BoundedHeap } from "./bounded-heap.ts";

/** A token that may be logged. */
export interface Candidate {
  /** |exp(trainer) − exp(rollout)|, in float64. */
  readonly divergence: number;
  /** Number of the sequence among all offered; the smaller one wins ties. */
  readonly sequence: number;
  /** Index of the token within its sequence. */
  readonly token: number;
}

export type TopTokens<C extends Candidate> = BoundedHeap<C>;

export function topTokens<C extends Candidate>(k: number): TopTokens<C> {
  return new BoundedHeap<C>(k, (a, b) => {
    if (a.divergence !== b.divergence) return a.divergence > b.divergence;
    return a.sequence !== b.sequence ? a.sequence < b.sequence : a.token < b.token;
  });
}

/**
 * The pass computes the largest |Δp| to a relative error of 1e-5 or better; decisions based on it leave this margin.
 */
const PASS_ROOM = 2e-5;
/** The same margin for bounds computed in float64. */
const BOUND_ROOM = 1e-12;

/**
 * Offers the tokens of the rows `[rowStart, rowEnd)` that can be among the best. `table` is the output of
 * `mismatchSums` for these rows. Counts tokens with mask 1 and two known probabilities, either of which may be 0.
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
  // k rows have a token at least this large, so no smaller one is among the k best.
  const least = rows.full ? rows.worst! * (1 - PASS_ROOM) : 0;

  for (let row = rowStart; row < rowEnd; row++) {
    const reached = top.full ? top.worst!.divergence : 0;
    if (at(row, PROB_COUNT) === 0) continue;
    if (at(row, ABS_PROB_DIFF_MAX) < Math.max(least, reached * (1 - PASS_ROOM))) continue;
    offerRow(block, row, least, top, candidateOf);
  }
}

/**
 * If two probabilities differ by g, the larger is at least g and the smaller at most 1 − g, which their logarithms show
 * without computing either. Log-probs above 0 are not logarithms of probabilities: such tokens are always computed.
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
    // Two comparisons with nearly constant outcomes; branching on their maximum would be unpredictable.
    if ((a < high && b < high) || mask[i] === 0) continue;
    if (a > low && b > low && a <= 0 && b <= 0) continue;
    const divergence = Math.abs(computeProbDiff(a, b));
    // NaN: a log-prob is missing, or so far above 0 that its probability overflows.
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
