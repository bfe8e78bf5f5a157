import { SEQUENCE_COLUMNS, SEQUENCE_TEXTS } from "../../results/metrics/sequence-columns.ts";
import type { SequenceTable } from "../../results/wire/table.ts";

type Row = Readonly<Record<string, number | string | undefined>>;

/** A table with these values; what a row does not name is missing. */
export function madeTable(rows: readonly Row[]): SequenceTable {
  const columns = SEQUENCE_COLUMNS.map((name) => [
    name,
    Float64Array.from(rows, (row) => (row[name] as number | undefined) ?? Number.NaN),
  ]);
  const texts = SEQUENCE_TEXTS.map((name) => {
    const values = [
      ...new Set(rows.map((row) => row[name]).filter((value) => value !== undefined)),
    ] as string[];
    const codes = Int32Array.from(rows, (row) => values.indexOf(row[name] as string));
    return [name, { values, codes }];
  });
  return { length: rows.length, columns: Object.fromEntries(columns), texts: Object.fromEntries(texts) };
}
