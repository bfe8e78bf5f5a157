/**
 * Turns: runs of mask 1 within a row, counted from 0, like verl's rounds. Per-token turns are stored as marks, which
 * can also represent "none" in small unsigned arrays; only this module creates and reads marks.
 *
 * @module
 */

/** A turn of a sequence: a run of its tokens with mask 1. */
export interface Turn {
  /** Counted from 0 within the row. */
  readonly turn: number;
  /** First token of the turn, an index into the block. */
  readonly from: number;
  /** Index after its last token. */
  readonly to: number;
}

/** The turns (runs of mask 1) of the row `[start, end)`, in order. */
export function* iterateTurns(mask: Uint8Array, start: number, end: number): Generator<Turn> {
  let from = start;
  for (let turn = 0; ; turn++) {
    while (from < end && mask[from] === 0) from++;
    if (from >= end) return;
    let to = from;
    while (to < end && mask[to] !== 0) to++;
    yield { turn, from, to };
    from = to;
  }
}

/**
 * Finds the turns of a sequence: its runs of tokens with mask 1, in order.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { findTurns } from "logratio/kernels";
 *
 * const turns = findTurns(Uint8Array.of(1, 1, 0, 0, 1)); // two turns with tool output between them
 * assert.deepEqual(turns, [
 *   { turn: 0, from: 0, to: 2 },
 *   { turn: 1, from: 4, to: 5 },
 * ]);
 * ```
 *
 * @param mask `[tokens]`, non-zero for tokens that the policy sampled
 * @returns turns counted from 0, each with its tokens `[from, to)`
 */
export function findTurns(mask: Uint8Array): Turn[] {
  return [...iterateTurns(mask, 0, mask.length)];
}

const MOST_MARKS = 65_535;

/** `[end - start]`: a mark per token of the row `[start, end)`: its turn + 1 (at most 65,535), 0 outside of turns. */
export function turnMarks(mask: Uint8Array, start: number, end: number): Uint16Array {
  const marks = new Uint16Array(end - start);
  for (const { turn, from, to } of iterateTurns(mask, start, end))
    marks.fill(Math.min(turn + 1, MOST_MARKS), from - start, to - start);
  return marks;
}

/** The turn of a mark of {@link turnMarks}, from 0; undefined outside of turns. */
export function turnOfMark(mark: number): number | undefined {
  return mark === 0 ? undefined : mark - 1;
}
