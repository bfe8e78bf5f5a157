import { formatGroupKey } from "../../../src/results/wire/groups.ts";
import type { SequenceTable } from "../../../src/results/wire/table.ts";

const places = new WeakMap<SequenceTable, ReadonlyMap<string, number>>();

/**
 * The number in the address of a sequence's group page: the place of the group's first sequence; undefined without a
 * group.
 */
export function findGroupPlace(table: SequenceTable, row: number): number | undefined {
  if (!(table.texts.group.codes[row]! >= 0)) return undefined;
  let known = places.get(table);
  if (known === undefined) {
    const made = new Map<string, number>();
    for (let at = 0; at < table.length; at++) {
      const key = formatGroupKey(table, at);
      if (!made.has(key)) made.set(key, at);
    }
    known = made;
    places.set(table, known);
  }
  return known.get(formatGroupKey(table, row));
}
