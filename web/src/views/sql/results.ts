/**
 * The rows of a query as a table shows and exports them.
 *
 * @module
 */
import type { SqlAnswer } from "../../../../src/results/sql.ts";
import type { Row } from "../../ui/export.ts";

/** The number of rows that determine a column's width. */
const SEEN = 100;

/** Width in pixels, enough for the longest value within bounds. */
export function columnWidth(name: string, rows: SqlAnswer["rows"], at: number): number {
  const longest = Math.max(
    name.length,
    ...rows.slice(0, SEEN).map((row) => (row[at] === null ? 4 : String(row[at]).length)),
  );
  return Math.min(420, Math.max(70, 24 + 8 * longest));
}

/** Rows by the names of their columns; a repeated name gets a number. */
export function toObjects(columns: SqlAnswer["columns"], rows: SqlAnswer["rows"]): Row[] {
  const names: string[] = [];
  for (const { name } of columns) {
    let own = name;
    // Readers of Parquet files ignore the case of names.
    const isTaken = (): boolean => names.some((known) => known.toLowerCase() === own.toLowerCase());
    for (let i = 2; isTaken(); i++) own = `${name}_${i}`;
    names.push(own);
  }
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]!])));
}
