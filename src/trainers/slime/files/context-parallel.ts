/**
 * Assembles responses from the slices of context-parallel ranks. Of a sequence cut into 2 × cp_size chunks, rank r
 * holds chunks r and 2 × cp_size − 1 − r (zigzag); it holds the response's log-probs at these positions, one later
 * than the logits they come from.
 *
 * Layout: `get_logits_and_tokens_offset_with_cp` and `assemble_log_prob_from_cp` of
 * `miles/backends/training_utils/cp_utils.py`, commit 31f1ca96.
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";

export interface SliceLayout {
  /** Tokens of prompt and response. */
  readonly total: number;
  readonly response: number;
  readonly cpSize: number;
  /** With `qkv_format` bshd sequences were padded to this many tokens before they were cut. */
  readonly paddedTo?: number | undefined;
}

/** The two ranges `[start, end)` of response tokens, possibly empty, that context-parallel rank `rank` holds. */
export function findSlices(
  { total, response, cpSize, paddedTo }: SliceLayout,
  rank: number,
): readonly (readonly [number, number])[] {
  const chunk = Math.floor(((paddedTo ?? total) + 2 * cpSize - 1) / (2 * cpSize));
  const before = total - response - 1;
  return [rank, 2 * cpSize - rank - 1].map((place) => {
    const start = Math.max(place * chunk, before);
    const end = Math.min((place + 1) * chunk, total - 1);
    return start < end ? ([start - before, end - before] as const) : ([0, 0] as const);
  });
}

/**
 * Assembles the response from the slices of all ranks, in rank order; undefined when a slice does not have the length
 * that the layout requires.
 */
export function assembleSlices(
  slices: readonly NumericArray[],
  layout: SliceLayout,
): Float64Array | undefined {
  const whole = new Float64Array(layout.response).fill(Number.NaN);
  for (const [rank, slice] of slices.entries()) {
    let taken = 0;
    for (const [start, end] of findSlices(layout, rank)) {
      if (taken + end - start > slice.length) return undefined;
      whole.set(slice.subarray(taken, taken + end - start), start);
      taken += end - start;
    }
    if (taken !== slice.length) return undefined;
  }
  return whole;
}
