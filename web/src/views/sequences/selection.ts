/**
 * Which sequences, and how they are shown: from the parameters of the address. Their order is `state/sequence-order.ts`'s.
 *
 * `columns`: keys with commas between. `layout`: `rows`, `groups`, `matrix`.
 *
 * @module
 */

import type { Filter } from "../../../../src/analyses/filter/index.ts";
import type { SequenceTable, TokenMatches } from "../../../../src/results/wire/index.ts";
import { orderedSequences, type Sort, sortValues } from "../../state/sequence-order.ts";
import { COLUMNS, HANDLE, type SequencesColumn } from "./columns.ts";

export const LAYOUTS = ["rows", "groups", "matrix"] as const;
export type Layout = (typeof LAYOUTS)[number];

type Params = Readonly<Record<string, string>>;

export interface Selection {
  /** In the order of `sort`. */
  readonly rows: Uint32Array;
  /** With mask 1, of these rows. */
  readonly tokens: number;
}

export function selectSequences(
  table: SequenceTable,
  params: Params,
  filter: Filter,
  matches?: TokenMatches,
): Selection {
  const rows = orderedSequences(table, params, filter, matches);
  let tokens = 0;
  for (const row of rows) tokens += table.columns.tokens[row]! || 0;
  return { rows, tokens };
}

/** After a click on a column's head: large figures first, the other way at the second click. */
export function sortAfter(now: Sort, key: string, textual: boolean): string {
  const descending = now.key === key ? !now.descending : !textual;
  return `${descending ? "-" : ""}${key}`;
}

export function readLayout({ layout }: Params): Layout {
  return LAYOUTS.find((name) => name === layout) ?? "rows";
}

/** Columns that have no value at any row are left out of the usual ones. */
export function chooseColumns(table: SequenceTable, { columns }: Params): readonly SequencesColumn[] {
  if (columns !== undefined) {
    const wanted = columns.split(",");
    return COLUMNS.filter(({ key }) => key === HANDLE || wanted.includes(key));
  }
  return COLUMNS.filter(
    ({ usual, key }) => usual && Array.prototype.some.call(sortValues(table, key), isThere),
  );
}

function isThere(value: number): boolean {
  return !Number.isNaN(value);
}
