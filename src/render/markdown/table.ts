import type { Table } from "../document/table.ts";
import { escapeMarkdown } from "./text.ts";

/** A table with its title and note, without the columns above a priority. */
export function tableBlock(table: Table, mostNeeded: number): string {
  const columns = table.columns.filter((column) => column.priority <= mostNeeded);
  const rows = Array.from({ length: table.rows }, (_, row) =>
    columns.map((column) => {
      const cell = escapeMarkdown(column.cells[row] ?? "");
      return column.worstRow === row ? `**${cell}**` : cell;
    }),
  );
  const heads = columns.map((column) => escapeMarkdown(column.header));
  const aligns = columns.map((column) => (column.align === "left" ? "l" : "r"));
  const title = table.title === "" ? "" : `**${escapeMarkdown(table.title)}**`;
  const note = table.note === undefined ? "" : escapeMarkdown(table.note);
  return [title, note, pipeTable(heads, aligns, rows)].filter((part) => part !== "").join("\n\n");
}

/** Rows of cells that are already Markdown. */
export function pipeTable(
  heads: readonly string[],
  aligns: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = aligns.map((align) => (align === "r" ? "---:" : "---"));
  return [line(heads), line(rule), ...rows.map(line)].join("\n");
}
