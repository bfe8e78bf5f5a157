/**
 * Terms over the columns of the table of sequences.
 *
 * @module
 */
import { SEQUENCE_TEXTS, type SequenceTable, type SequenceText } from "../../../src/wire/index.ts";
import type { Range, Term, Test } from "./parse.ts";

/** Rows at which every term holds, ascending. A missing value is within no range; `-` turns that round as well. */
export function matchingRows(table: SequenceTable, terms: readonly Term[]): Uint32Array {
  const rows = new Uint32Array(table.length);
  for (let row = 0; row < rows.length; row++) rows[row] = row;
  let count = rows.length;
  for (const term of terms) {
    const holds = predicateOf(table, term);
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const row = rows[at]!;
      if (holds(row) !== term.negated) rows[kept++] = row;
    }
    count = kept;
  }
  return rows.slice(0, count);
}

function predicateOf(table: SequenceTable, { field, test }: Term): (row: number) => boolean {
  if (test.kind === "handle") return handleAt(table, test);
  if (test.kind === "text") {
    const columns = field?.kind === "text" ? [field.column] : SEQUENCE_TEXTS;
    const asked = columns.map((column) => textIn(table, column, test));
    return asked.length === 1 ? asked[0]! : (row) => asked.some((holds) => holds(row));
  }
  if (field === undefined || field.kind === "text") return () => false;
  return withinRanges(field.values(table), test.ranges, test.orMissing);
}

function withinRanges(
  values: Float64Array,
  ranges: readonly Range[],
  orMissing: boolean,
): (row: number) => boolean {
  const single = ranges.length === 1 && !orMissing ? ranges[0] : undefined;
  if (single !== undefined) return (row) => isWithin(values[row]!, single);
  return (row) => {
    const value = values[row]!;
    return Number.isNaN(value) ? orMissing : ranges.some((range) => isWithin(value, range));
  };
}

function isWithin(value: number, { low, high, lowOpen, highOpen }: Range): boolean {
  return (lowOpen ? value > low : value >= low) && (highOpen ? value < high : value <= high);
}

/** Asks each different text once. */
function textIn(
  table: SequenceTable,
  column: SequenceText,
  { texts, whole, orMissing }: Extract<Test, { kind: "text" }>,
): (row: number) => boolean {
  const { values, codes } = table.texts[column];
  const wanted = texts.map((text) => text.toLowerCase());
  const holds = Uint8Array.from(values, (value) => {
    const lower = value.toLowerCase();
    return wanted.some((text) => (whole ? lower === text : lower.includes(text))) ? 1 : 0;
  });
  return (row) => {
    const code = codes[row]!;
    return code < 0 ? orMissing : holds[code] === 1;
  };
}

function handleAt(
  { columns }: SequenceTable,
  { step, rank, row: wanted }: Extract<Test, { kind: "handle" }>,
): (row: number) => boolean {
  return (row) =>
    columns.row[row] === wanted &&
    (step === undefined || columns.step[row] === step) &&
    (rank === undefined || columns.rank[row] === rank);
}
