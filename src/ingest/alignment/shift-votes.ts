/**
 * The sums of a scan for shifts, and what a row adds to them: in WebAssembly if its values are float32, else in the
 * plain loops that define them.
 *
 * @module
 */
import type { FloatArray } from "../../core/base/index.ts";
import { type ShiftsKernel, shiftsKernel } from "../../core/kernels/index.ts";

/** A row whose columns are compared. */
export interface ComparedRow {
  readonly rollout: FloatArray;
  readonly trainer: FloatArray;
  /** The row's entries. */
  readonly start: number;
  readonly end: number;
  /** Pairs: the first entry of a turn, and the one after its last. */
  readonly turns: readonly number[];
  /** By number of a shift; undefined where it is not tried. */
  readonly shifts: readonly (number | undefined)[];
}

/** Tokens, those with a log-prob on both sides, their Σ|Δ| in nats; then {@link SHIFT_SUMS} of each shift, twice. */
export const IN_PLACE_SUMS = 3;
/** Tokens with a log-prob on both sides under a shift, their Σ|Δ| under it and in place, votes for it, stretches that vote. */
export const SHIFT_SUMS = 5;
/** Tokens that vote together: neighbors are alike, so single tokens would not be independent votes. */
const STRETCH = 16;
/** vLLM's -inf, and values that cannot be log-probs: left out of the scan. */
const LOWEST = -9999;
const HIGHEST = 1e-3;

/** Where the sums of a shift begin: over all turns, or over those after the first of each response. */
export function placeOf(shift: number, shifts: number, isLater: boolean): number {
  return IN_PLACE_SUMS + SHIFT_SUMS * (shift + (isLater ? shifts : 0));
}

/** Adds a row to the sums. Both ways add in the same order, and so give the same bits. */
export function addRow(sums: Float64Array, row: ComparedRow): void {
  const { rollout, trainer, start, end } = row;
  const isSingle = rollout instanceof Float32Array && trainer instanceof Float32Array;
  const kernel = isSingle ? shiftsKernel() : undefined;
  if (kernel === undefined || end - start > kernel.room || sums.length > kernel.sums.length) {
    addRowPlainly(sums, row);
    return;
  }
  kernel.rolloutIn.set(rollout.subarray(start, end));
  kernel.trainerIn.set(trainer.subarray(start, end));
  kernel.sums.set(sums);
  kernel.setRange(LOWEST, HIGHEST);
  addTurns(kernel, row, start);
  sums.set(kernel.sums.subarray(0, sums.length));
}

/** The reference implementation of {@link addRow}. */
export function addRowPlainly(sums: Float64Array, row: ComparedRow): void {
  const plain: TurnSums = {
    compareInPlace: (start, end) => compareInPlace(sums, row, start, end),
    vote: (start, end, shift, all, later) =>
      vote(sums, row, start, end, shift, later === 0 ? [all] : [all, later]),
  };
  addTurns(plain, row, 0);
}

/** What adds a turn to sums; see `assembly/shifts.ts`. */
type TurnSums = Pick<ShiftsKernel, "compareInPlace" | "vote">;

/** @param base the entry of the row's columns that `into` counts as 0 */
function addTurns(into: TurnSums, { turns, shifts }: ComparedRow, base: number): void {
  for (let turn = 0; turn < turns.length; turn += 2)
    into.compareInPlace(turns[turn]! - base, turns[turn + 1]! - base);
  for (const [number, shift] of shifts.entries()) {
    if (shift === undefined) continue;
    const [all, later] = [placeOf(number, shifts.length, false), placeOf(number, shifts.length, true)];
    for (let turn = 0; turn < turns.length; turn += 2)
      into.vote(turns[turn]! - base, turns[turn + 1]! - base, shift, all, turn === 0 ? 0 : later);
  }
}

function isLogprob(value: number): boolean {
  return value <= HIGHEST && value > LOWEST;
}

function compareInPlace(
  sums: Float64Array,
  { rollout, trainer }: ComparedRow,
  start: number,
  end: number,
): void {
  for (let t = start; t < end; t++) {
    sums[0]! += 1;
    if (!isLogprob(rollout[t]!) || !isLogprob(trainer[t]!)) continue;
    sums[1]! += 1;
    sums[2]! += Math.abs(rollout[t]! - trainer[t]!);
  }
}

/**
 * Adds the votes of one turn for a shift to the sums at `places`. The last stretch takes the remaining tokens; a short turn is
 * one stretch.
 */
function vote(
  sums: Float64Array,
  { rollout, trainer }: ComparedRow,
  start: number,
  end: number,
  shift: number,
  places: readonly number[],
): void {
  const from = Math.max(start, start - shift);
  const to = Math.min(end, end - shift);
  for (let t = from; t < to; ) {
    const stop = to - t < 2 * STRETCH ? to : t + STRETCH;
    const pairs = compareStretch(rollout, trainer, t, stop, shift);
    for (const at of places) {
      sums[at]! += pairs.tokens;
      sums[at + 1]! += pairs.shifted;
      sums[at + 2]! += pairs.inPlace;
      // If either side is constant, there is no correlation, and the stretch does not vote.
      if (pairs.gain > 0) sums[at + 3]! += 1;
      if (pairs.gain !== 0 && !Number.isNaN(pairs.gain)) sums[at + 4]! += 1;
    }
    t = stop;
  }
}

interface Compared {
  readonly tokens: number;
  /** Σ|Δ| under the shift and in place, nats. */
  readonly shifted: number;
  readonly inPlace: number;
  /** Correlation under the shift minus that in place; NaN when one does not exist. */
  readonly gain: number;
}

/** The pairs of a stretch, in memory that all stretches share. */
const stretch = {
  rollout: new Float64Array(2 * STRETCH),
  here: new Float64Array(2 * STRETCH),
  there: new Float64Array(2 * STRETCH),
};

function compareStretch(
  rollout: FloatArray,
  trainer: FloatArray,
  from: number,
  to: number,
  shift: number,
): Compared {
  let [tokens, shifted, inPlace] = [0, 0, 0];
  for (let t = from; t < to; t++) {
    const own = rollout[t]!;
    const here = trainer[t]!;
    const there = trainer[t + shift]!;
    if (!isLogprob(own) || !isLogprob(here) || !isLogprob(there)) continue;
    stretch.rollout[tokens] = own;
    stretch.here[tokens] = here;
    stretch.there[tokens] = there;
    tokens++;
    inPlace += Math.abs(own - here);
    shifted += Math.abs(own - there);
  }
  const gain =
    correlate(stretch.rollout, stretch.there, tokens) - correlate(stretch.rollout, stretch.here, tokens);
  return { tokens, shifted, inPlace, gain };
}

/** Pearson's r of the first `count` numbers of two arrays; NaN when one of them does not vary. */
function correlate(xs: Float64Array, ys: Float64Array, count: number): number {
  let [a, b] = [0, 0];
  for (let i = 0; i < count; i++) {
    a += xs[i]!;
    b += ys[i]!;
  }
  a /= count;
  b /= count;
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const x = xs[i]! - a;
    const y = ys[i]! - b;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? Number.NaN : ab / Math.sqrt(aa * bb);
}
