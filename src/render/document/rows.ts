/**
 * The data behind tables and pictures, in full precision, for export.
 *
 * @module
 */
import type { PageRow } from "../../results/page.ts";
import type { Table } from "./table.ts";

type Cell = PageRow[string];

/** A table whose export has the items behind its rows, with their small objects unfolded. */
export function withRows(table: Table, items: readonly object[]): Table {
  return { ...table, raw: () => unfoldedRows(items) };
}

/** Objects of a result as rows, without nested values, for which a table has no cell. */
function flatRows(items: readonly object[]): PageRow[] {
  const isCell = (value: unknown): value is Cell => value === null || typeof value !== "object";
  return items.map((item) =>
    Object.fromEntries(
      Object.entries(item).filter((entry: [string, unknown]): entry is [string, Cell] => isCell(entry[1])),
    ),
  );
}

/** Intervals and other small objects become columns of their own: `mean_kl_interval.low`. */
export function unfoldedRows(items: readonly object[]): PageRow[] {
  return flatRows(items.map((item) => unfolded(item)));
}

function unfolded(item: object, prefix = ""): Record<string, unknown> {
  const entries = Object.entries(item).flatMap(([name, value]: [string, unknown]): [string, unknown][] =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.entries(unfolded(value, `${prefix}${name}.`))
      : [[prefix + name, value]],
  );
  return Object.fromEntries(entries);
}

/** The cells as shown, for tables whose rows are not objects of a result. */
export function shownRows({ columns, rows }: Pick<Table, "columns" | "rows">): PageRow[] {
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(columns.map(({ header, cells }) => [header, cells[row] ?? null])),
  );
}
