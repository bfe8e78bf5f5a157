/**
 * Reads from the address which sequences are shown, and how. `state/sequence-order.ts` orders them.
 *
 * `columns`: keys in order, separated by commas. `pinned`: likewise, the columns that stay in sight. `layout`: `rows`,
 * `groups` (with `grouped-by`, the key of the column that makes them), `matrix`. `peek`: the row whose text is beside
 * the list.
 *
 * @module
 */

import type { Filter } from "../../../../src/analyses/filter/index.ts";
import type { TokenMatches } from "../../../../src/results/wire/matches.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { orderedSequences, type Sort, sortValues } from "../../state/sequence-order.ts";
import { COLUMNS, columnNamed, HANDLE, isBriefColumn, type SequencesColumn } from "./columns.ts";

export const LAYOUTS = ["rows", "groups", "matrix"] as const;
export type Layout = (typeof LAYOUTS)[number];

type Params = Readonly<Record<string, string>>;

export interface Selection {
  /** In the order of `sort`. */
  readonly rows: Uint32Array;
  /** The number of these rows' tokens with mask 1. */
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

/** The sorting after a click on a column's head: large figures first, the reverse at the second click. */
export function sortAfter(now: Sort, key: string, textual: boolean): string {
  const descending = now.key === key ? !now.descending : !textual;
  return `${descending ? "-" : ""}${key}`;
}

export function readLayout({ layout }: Params): Layout {
  return LAYOUTS.find((name) => name === layout) ?? "rows";
}

/** On a phone, this column comes first, so that the default sort key is in sight. */
const FIRST_WHERE_NARROW = "worst";

/** Default columns without any value are left out, as are texts if none are known. */
export function chooseColumns(
  table: SequenceTable,
  { columns, pinned }: Params,
  hasBriefs: boolean,
  isNarrow = false,
): readonly SequencesColumn[] {
  const stays = new Set(pinned?.split(","));
  const chosen =
    columns === undefined
      ? COLUMNS.filter(({ usual, key }) => usual && hasValues(table, key, hasBriefs)).sort((a, b) =>
          isNarrow ? rankWhereNarrow(a) - rankWhereNarrow(b) : 0,
        )
      : [HANDLE, ...columns.split(",").filter((key) => key !== HANDLE)].flatMap(
          (key) => columnNamed(key) ?? [],
        );
  return chosen.map((column) => (stays.has(column.key) ? { ...column, pinned: true } : column));
}

function rankWhereNarrow({ key }: SequencesColumn): number {
  return key === HANDLE ? 0 : key === FIRST_WHERE_NARROW ? 1 : 2;
}

function hasValues(table: SequenceTable, key: string, hasBriefs: boolean): boolean {
  if (isBriefColumn(key)) return hasBriefs || key === "spark";
  return Array.prototype.some.call(sortValues(table, key), (value: number) => !Number.isNaN(value));
}

/** The keys of the columns after one is switched on (in its default place) or off. */
export function toggleColumn(keys: readonly string[], key: string): string[] {
  if (keys.includes(key)) return keys.filter((other) => other !== key);
  const place = (name: string): number => COLUMNS.findIndex((column) => column.key === name);
  const at = keys.findIndex((other) => place(other) > place(key));
  return at < 0 ? [...keys, key] : keys.toSpliced(at, 0, key);
}
