/**
 * Terms over the columns of the table of sequences.
 *
 * @module
 */
import { SEQUENCE_TEXTS, type SequenceText } from "../../results/metrics/sequence-columns.ts";
import type { SequenceTable } from "../../results/wire/table.ts";
import type { Alternatives } from "./alternatives.ts";
import type { Term, Test } from "./parse.ts";
import { byScope, largestAbsNeeded } from "./scopes.ts";
import { isWithin, numberTest, textTest } from "./tests.ts";

/**
 * Rows that satisfy every sequence term of an alternative, ascending. A missing value is in no range; `-` inverts that
 * too.
 * Uses only what the table knows about token terms: rows whose largest |Δ| is too small are dropped.
 * If `needsTokens`, the tokens themselves decide.
 */
export function matchingRows(table: SequenceTable, alternatives: Alternatives): Uint32Array {
  if (alternatives.length === 1) return rowsOfAll(table, alternatives[0]!);
  const found = new Uint8Array(table.length);
  for (const terms of alternatives) for (const row of rowsOfAll(table, terms)) found[row] = 1;
  return placesOfOnes(found);
}

/** Whether a row satisfies all sequence terms of one alternative. */
export function rowHolds(table: SequenceTable, terms: readonly Term[], row: number): boolean {
  return byScope(terms).sequence.every((term) => buildPredicate(table, term)(row) !== term.negated);
}

/** Indices of ones, ascending. */
export function placesOfOnes(marks: Uint8Array): Uint32Array {
  const places = new Uint32Array(marks.length);
  let count = 0;
  for (let at = 0; at < marks.length; at++) if (marks[at] === 1) places[count++] = at;
  return places.slice(0, count);
}

/** {@link matchingRows} for one alternative. */
export function rowsOfAll(table: SequenceTable, terms: readonly Term[]): Uint32Array {
  const rows = new Uint32Array(table.length);
  for (let row = 0; row < rows.length; row++) rows[row] = row;
  let count = rows.length;
  const keep = (holds: (row: number) => boolean, unlike: boolean): void => {
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const row = rows[at]!;
      if (holds(row) !== unlike) rows[kept++] = row;
    }
    count = kept;
  };
  for (const term of byScope(terms).sequence) keep(buildPredicate(table, term), term.negated);
  const needed = largestAbsNeeded(terms);
  if (needed !== undefined) {
    const largest = table.columns.delta_abs_max;
    keep((row) => isWithin(largest[row]!, needed), false);
  }
  return rows.slice(0, count);
}

function buildPredicate(table: SequenceTable, { field, test }: Term): (row: number) => boolean {
  if (test.kind === "handle") return handleAt(table, test);
  if (test.kind === "text") {
    const columns = field && "column" in field ? [field.column] : SEQUENCE_TEXTS;
    const asked = columns.map((column) => textIn(table, column, test));
    return asked.length === 1 ? asked[0]! : (row) => asked.some((holds) => holds(row));
  }
  if (test.kind !== "within" || field === undefined || !("values" in field)) return () => false;
  const values = field.values(table);
  const passes = numberTest(test);
  return (row) => passes(values[row]!);
}

/** Tests each distinct text once. */
function textIn(
  table: SequenceTable,
  column: SequenceText,
  test: Extract<Test, { kind: "text" }>,
): (row: number) => boolean {
  const { values, codes } = table.texts[column];
  const passes = textTest(test);
  const holds = Uint8Array.from(values, (value) => (passes(value) ? 1 : 0));
  return (row) => {
    const code = codes[row]!;
    return code < 0 ? test.orMissing : holds[code] === 1;
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
