/**
 * Pictures and tables as files: the pure part.
 *
 * @module
 */
import { csvLine } from "../../../src/render/text/index.ts";

/** A cell of an exported table; what is missing is null or absent. */
export type Cell = string | number | boolean | null | undefined;
export type Row = Readonly<Record<string, Cell>>;

/** `int8-mean-abs-delta.svg`: run and picture, in characters that every file system accepts. */
export function fileName(run: string, what: string, extension: string): string {
  const plain = (text: string): string =>
    text
      .normalize("NFKD")
      .replace(/[^A-Za-z0-9._-]+/g, "-")
      .replace(/^[-.]+|[-.]+$/g, "")
      .slice(0, 80);
  return `${[run, what]
    .map(plain)
    .filter((part) => part !== "")
    .join("-")}.${extension}`;
}

/**
 * Rows as CSV (RFC 4180) with the columns of all rows in the order in which they first appear. Numbers have all their
 * digits; NaN and infinities are written out, missing values are empty. A text that a spreadsheet would take for a
 * formula gets a leading apostrophe.
 */
export function toCsv(rows: readonly Row[]): string {
  const columns = collectColumns(rows);
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map(csvLine).join("");
}

/** Rows as JSON; numbers that JSON lacks are written as the texts `NaN`, `Infinity` and `-Infinity`. */
export function toJson(rows: readonly Row[]): string {
  const explicit = (_key: string, value: unknown): unknown =>
    typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
  return `${JSON.stringify(rows, explicit, 1)}\n`;
}

/** Objects of a result as rows, without nested values, which do not fit into a cell. */
export function flatRows(items: readonly object[]): Row[] {
  const isCell = (value: unknown): value is Cell => value === null || typeof value !== "object";
  return items.map(
    (item) =>
      Object.fromEntries(Object.entries(item).filter(([, value]) => isCell(value))) as Record<string, Cell>,
  );
}

function collectColumns(rows: readonly Row[]): string[] {
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return [...names];
}

/**
 * Makes a picture of the page self-contained: replaces the page's color variables by plain colors of light paper, which
 * every program that reads SVG knows.
 */
export function standaloneSvg(svg: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${svg.replace(/var\(--[\w-]+,\s*([^()]+?)\)/g, "$1")}\n`;
}
