/**
 * The fields of what the WebAssembly kernel sums per segment, as indices of a float64. The kernel is compiled from this
 * file, too, so it holds only what is both TypeScript and AssemblyScript. A new sum goes before `MIN`; if a field of the
 * layout is the same sum, that is called `NAME_SUM` for a `NAME` here.
 *
 * @module
 */
export const N = 0;
export const DELTA = N + 1;
export const DELTA_SQUARE = DELTA + 1;
export const UP = DELTA_SQUARE + 1;
export const DOWN = UP + 1;
export const UP_COUNT = DOWN + 1;
export const DOWN_COUNT = UP_COUNT + 1;
export const K3 = DOWN_COUNT + 1;
export const EXCESS_SQUARE = K3 + 1;
export const DIFF = EXCESS_SQUARE + 1;
export const DIFF_SQUARE = DIFF + 1;
export const ABS_DIFF = DIFF_SQUARE + 1;
export const TAIL = ABS_DIFF + 1;
export const TAIL_SQUARE = TAIL + 1;
/** Σ qΔp. */
export const PRODUCT = TAIL_SQUARE + 1;
export const ROLLOUT = PRODUCT + 1;
export const TRAINER = ROLLOUT + 1;

/** Fields before this one add up; from here on each has a rule of its own. */
export const ADDED = TRAINER + 1;
export const MIN = ADDED;
export const MAX = MIN + 1;
export const DIFF_MAX = MAX + 1;

/** Float64 fields of a record. */
export const RECORD = DIFF_MAX + 1;
