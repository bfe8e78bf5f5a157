/**
 * The values of fields in a run, for completion.
 *
 * @module
 */
import type { SequenceTable } from "../../results/wire/table.ts";
import type { FieldValue } from "./complete.ts";
import type { Field } from "./field.ts";

/** A figure with more distinct values is not offered as a list. */
const MOST_NUMBERS = 1000;

/**
 * For texts the most frequent first, for numbers the smallest; `none` if some are missing. Figures that differ between
 * most sequences have no list.
 *
 * @param turns the largest number of turns in a sequence
 */
export function fieldValues(field: Field, table: SequenceTable, turns: number): readonly FieldValue[] {
  if (field.kind === "class") return field.classes.map((value) => ({ value, help: "" }));
  if (field.scope === "token") {
    if (field.name === "mask") return ["0", "1"].map((value) => ({ value, help: "" }));
    if (field.name !== "turn") return [];
    return Array.from({ length: turns }, (_, turn) => ({ value: String(turn), help: "" }));
  }
  return field.kind === "text"
    ? textValues(table.texts[field.column])
    : numberValues(field.values(table), field.kind === "yes-no");
}

function textValues({ values, codes }: SequenceTable["texts"]["sample"]): FieldValue[] {
  const counts = new Uint32Array(values.length + 1);
  for (const code of codes) counts[code + 1]! += 1;
  const found = values.map((value, code) => ({ value, count: counts[code + 1]! }));
  found.sort((a, b) => b.count - a.count);
  return [...found.filter(({ count }) => count > 0), { value: "none", count: counts[0]! }]
    .filter(({ count }) => count > 0)
    .map(withCount);
}

function numberValues(values: Float64Array, isYesNo: boolean): FieldValue[] {
  const counts = new Map<number, number>();
  let missing = 0;
  for (const value of values) {
    if (Number.isNaN(value)) missing++;
    else counts.set(value, (counts.get(value) ?? 0) + 1);
    if (counts.size > MOST_NUMBERS) return [];
  }
  // A list of values that rarely repeat is not helpful.
  if (counts.size > 2 && counts.size > (values.length - missing) / 2) return [];
  const named = (value: number): string => (isYesNo ? (value > 0 ? "yes" : "no") : String(value));
  return [
    ...[...counts].sort(([a], [b]) => a - b).map(([value, count]) => ({ value: named(value), count })),
    ...(missing > 0 && counts.size > 0 ? [{ value: "none", count: missing }] : []),
  ].map(withCount);
}

function withCount({ value, count }: { readonly value: string; readonly count: number }): FieldValue {
  return { value, help: `${count} ${count === 1 ? "sequence" : "sequences"}` };
}
