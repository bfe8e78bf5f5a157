import { PALETTE } from "../charts/palette.ts";
import { element } from "../charts/svg.ts";
import { shownCell, type Table, type TableColumn } from "../document/table.ts";
import { escapeHtml } from "./escape.ts";

/** Longer tables scroll in a box and have no bars, to stay small. */
const LONG = 60;
const LONG_TEXT = 44;
const BAR_WIDTH = 56;

/** A table as HTML; end tags that HTML implies are left out, which halves a table of a thousand steps. */
export function htmlTable(table: Table, caption = ""): string {
  const isLong = table.rows > LONG;
  const head = table.columns.map((column) => {
    const meaning = column.meaning === undefined ? "" : ` title="${escapeHtml(column.meaning)}"`;
    return `<th scope=col${column.bars === undefined || isLong ? chooseClass(column) : " class=b"}${meaning}>${escapeHtml(column.header)}`;
  });
  const rows = Array.from(
    { length: table.rows },
    (_, row) =>
      `<tr>${table.columns
        .map((column) => {
          const text = escapeHtml(shownCell(column, row));
          const level = column.levels?.[row];
          const content =
            level === undefined || text === "" ? text : `<span class="level ${level}">${text}</span>`;
          const share = column.bars?.[row] ?? Number.NaN;
          const picture = column.bars === undefined || isLong ? "" : htmlBar(Number.isNaN(share) ? 0 : share);
          return `<td${chooseClass(column, column.worstRow === row)}>${content}${picture}`;
        })
        .join("")}`,
  );
  return (
    `<div class="scroll${isLong ? " long" : ""}"${isLong ? ` tabindex=0 role=region aria-label="${escapeHtml(table.title)}"` : ""}>` +
    `<table${table.rows > 2 ? " data-sort" : ""}>${caption === "" ? "" : `<caption>${escapeHtml(caption)}</caption>`}<thead><tr>${head.join("")}</thead>\n<tbody>${rows.join("\n")}</tbody></table></div>`
  );
}

function chooseClass(column: TableColumn, isWorst = false): string {
  if (column.wrap) return " class=p";
  // Long names and paths must be broken, or the table would need scrolling.
  const names = [
    ...(column.align === "left" ? ["l"] : []),
    ...(column.align === "left" && column.cells.some((cell) => cell.length > LONG_TEXT) ? ["t"] : []),
    ...(isWorst ? ["w"] : []),
  ];
  if (names.length === 0) return "";
  return names.length === 1 ? ` class=${names[0]}` : ` class="${names.join(" ")}"`;
}

function htmlBar(share: number): string {
  const rect = element("rect", {
    width: Math.max(share > 0 ? 1 : 0, share * BAR_WIDTH),
    height: 9,
    fill: PALETTE.blue,
  });
  return element("svg", { width: BAR_WIDTH, height: 9, "aria-hidden": "true" }, rect);
}
