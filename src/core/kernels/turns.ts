/**
 * Turns: runs of mask 1 within a row, counted from 0, as verl's rounds are. Where each token says which turn it is in,
 * it has a mark, so that small unsigned arrays hold "in none" too; marks are made and read here and nowhere else.
 *
 * @module
 */

export interface Stretch {
  /** Counted from 0 within the row. */
  readonly turn: number;
  readonly from: number;
  readonly to: number;
}

/** The turns (runs of mask 1) of the row `[start, end)`, in order. */
export function* iterateTurns(mask: Uint8Array, start: number, end: number): Generator<Stretch> {
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

const MOST_MARKS = 65_535;

/** `[end - start]`: a mark per token of the row `[start, end)`: its turn + 1 (at most 65,535), 0 where it is in none. */
export function turnMarks(mask: Uint8Array, start: number, end: number): Uint16Array {
  const marks = new Uint16Array(end - start);
  for (const { turn, from, to } of iterateTurns(mask, start, end))
    marks.fill(Math.min(turn + 1, MOST_MARKS), from - start, to - start);
  return marks;
}

/** The turn that a mark of {@link turnMarks} stands for, from 0; undefined: in none. */
export function turnOfMark(mark: number): number | undefined {
  return mark === 0 ? undefined : mark - 1;
}
