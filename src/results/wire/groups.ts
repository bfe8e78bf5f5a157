import type { SequenceTable } from "./table.ts";

/** The key of a sequence's group: its prompt group in its step; sequences without one share a key. */
export function formatGroupKey({ columns, texts: { group } }: SequenceTable, row: number): string {
  const step = columns.step[row]!;
  return `${Number.isNaN(step) ? "" : step}/${group.values[group.codes[row]!] ?? ""}`;
}

/** The rows of a sequence's prompt group, ascending; a sequence without a group is alone. */
export function listGroupMembers(table: SequenceTable, row: number): Uint32Array {
  const { group } = table.texts;
  if (group.codes[row]! < 0) return Uint32Array.of(row);
  const step = table.columns.step[row]!;
  const rows: number[] = [];
  for (let other = 0; other < table.length; other++)
    if (group.codes[other] === group.codes[row] && Object.is(table.columns.step[other], step))
      rows.push(other);
  return Uint32Array.from(rows);
}
