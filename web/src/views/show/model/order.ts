import type { SequenceTable } from "../../../../../src/results/wire/table.ts";

/** The sequences that the list shows, in its order, and where this one is. */
export interface Order {
  readonly rows: Uint32Array;
  /** Index of this sequence in `rows`; -1 if the filter leaves it out. */
  readonly at: number;
  /** `[table.length]`, NaN where unknown. */
  readonly steps: Float64Array;
}

export function orderAround({ columns }: SequenceTable, rows: Uint32Array, sequence: number): Order {
  return { rows, at: rows.indexOf(sequence), steps: columns.step };
}

/** The next or previous sequence; the first if this one is not in the list. */
export function neighbour({ rows, at }: Order, way: 1 | -1): number | undefined {
  return at < 0 && way === -1 ? undefined : rows[at + way];
}

/** The first sequence of the nearest later (or earlier) step. */
export function inNextStep({ rows, steps }: Order, sequence: number, way: 1 | -1): number | undefined {
  let best: number | undefined;
  for (const row of rows) {
    const away = (steps[row]! - steps[sequence]!) * way;
    if (away > 0 && (best === undefined || away < (steps[best]! - steps[sequence]!) * way)) best = row;
  }
  return best;
}
