/**
 * Resolves handles such as `s30.q48.t39` to places in the table of sequences.
 *
 * @module
 */
import { formatHandle, readHandle } from "../../../src/core/schema/index.ts";
import type { SequenceTable } from "../../../src/results/wire/index.ts";
import type { Move } from "./url.ts";

/** The handle of a row of the table. */
export function formatSequenceHandle({ columns }: SequenceTable, index: number): string {
  const known = (value: number | undefined): number => value ?? Number.NaN;
  return formatHandle({
    step: known(columns.step[index]),
    rank: known(columns.rank[index]),
    sequence: known(columns.row[index]),
  });
}

const indexes = new WeakMap<SequenceTable, ReadonlyMap<string, number>>();

/** Where a handle leads: the sequence, and its token where the handle names one; undefined when no sequence has it. */
export function moveToHandle(table: SequenceTable, handle: string): Move | undefined {
  const place = readHandle(handle);
  if (place === undefined) return undefined;
  const { token, ...sequence } = place;
  const index = indexRows(table).get(formatHandle(sequence));
  return index === undefined ? undefined : { view: "sequence", sequence: index, token };
}

/** Of sequences with the same handle (several files of one step and rank) the first. */
function indexRows(table: SequenceTable): ReadonlyMap<string, number> {
  const known = indexes.get(table);
  if (known !== undefined) return known;
  const made = new Map<string, number>();
  for (let index = 0; index < table.length; index++) {
    const handle = formatSequenceHandle(table, index);
    if (!made.has(handle)) made.set(handle, index);
  }
  indexes.set(table, made);
  return made;
}
