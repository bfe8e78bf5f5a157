/**
 * Which sequences, in which order: from the parameters of the address.
 *
 * `filter`: the grammar of `web/src/filter`. `steps`: `10..30`, as the overview's brush sets it. `sort`: a column, `-`
 * before it for the largest first. `columns`: keys with commas between. `layout`: `rows`, `groups`, `matrix`.
 *
 * @module
 */
import type { SequenceTable } from "../../../../src/wire/index.ts";
import { type Filter, matchingRows, parseFilter } from "../../filter/index.ts";
import type { TableSort } from "../../ui/virtual-table/virtual-table.tsx";
import { COLUMNS, columnNamed, HANDLE, type SequencesColumn } from "./columns.ts";
import { sortedBy } from "./sort-rows.ts";

export const LAYOUTS = ["rows", "groups", "matrix"] as const;
export type Layout = (typeof LAYOUTS)[number];

type Params = Readonly<Record<string, string>>;

const WORST_FIRST: TableSort = { key: "worst", descending: true };

export interface Selection {
  readonly filter: Filter;
  /** In the order of `sort`. */
  readonly rows: Uint32Array;
  /** With mask 1, of these rows. */
  readonly tokens: number;
}

export function selectSequences(table: SequenceTable, params: Params): Selection {
  const filter = parseFilter(params.filter ?? "");
  const steps = parseFilter(params.steps === undefined ? "" : `step:${params.steps}`);
  const matching = matchingRows(table, [...filter.terms, ...steps.terms]);
  const { key, descending } = sortOf(params);
  const order = columnNamed(key)?.order(table);
  const rows = order ? sortedBy(matching, order, descending) : matching;
  let tokens = 0;
  for (const row of rows) tokens += table.columns.tokens[row]! || 0;
  return { filter, rows, tokens };
}

export function sortOf({ sort }: Params): TableSort {
  if (sort === undefined) return WORST_FIRST;
  const descending = sort.startsWith("-");
  const key = descending ? sort.slice(1) : sort;
  return columnNamed(key) ? { key, descending } : WORST_FIRST;
}

/** After a click on a column's head: large figures first, the other way at the second click. */
export function sortAfter(now: TableSort, key: string, textual: boolean): string {
  const descending = now.key === key ? !now.descending : !textual;
  return `${descending ? "-" : ""}${key}`;
}

export function layoutOf({ layout }: Params): Layout {
  return LAYOUTS.find((name) => name === layout) ?? "rows";
}

/** Columns that have no value at any row are left out of the usual ones. */
export function columnsOf(table: SequenceTable, { columns }: Params): readonly SequencesColumn[] {
  if (columns !== undefined) {
    const wanted = columns.split(",");
    return COLUMNS.filter(({ key }) => key === HANDLE || wanted.includes(key));
  }
  return COLUMNS.filter(({ usual, order }) => usual && Array.prototype.some.call(order(table), isThere));
}

function isThere(value: number): boolean {
  return !Number.isNaN(value);
}
