/**
 * Orders of rows.
 *
 * @module
 */
import type { SequenceTable, SequenceText } from "../../../../src/wire/index.ts";

/** Rows by a value, missing ones last whichever way; equal ones stay as they were. */
export function sortedBy(rows: Uint32Array, values: ArrayLike<number>, descending: boolean): Uint32Array {
  const there = rows.filter((row) => !Number.isNaN(values[row]));
  const missing = rows.filter((row) => Number.isNaN(values[row]));
  const sign = descending ? -1 : 1;
  there.sort((a, b) => {
    const [x, y] = [values[a]!, values[b]!];
    return x < y ? -sign : x > y ? sign : 0;
  });
  const sorted = new Uint32Array(rows.length);
  sorted.set(there);
  sorted.set(missing, there.length);
  return sorted;
}

const collator = new Intl.Collator("en", { numeric: true });

/** The place of each row's text among the texts in order; NaN where there is none. */
export function textRanks(table: SequenceTable, column: SequenceText): Float64Array {
  const { values, codes } = table.texts[column];
  const order = values.map((_, code) => code).sort((a, b) => collator.compare(values[a]!, values[b]!));
  const ranks = new Float64Array(values.length);
  for (const [rank, code] of order.entries()) ranks[code] = rank;
  return Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : ranks[code]!));
}
