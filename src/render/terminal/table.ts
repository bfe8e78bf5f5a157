import type { Style, Surface } from "../document/surface.ts";
import type { Table } from "../document/table.ts";
import { bar } from "./bars.ts";
import { displayWidth, pad } from "./columns.ts";
import { BAR_COLUMNS, type Fitted, fitColumns, GAP, type LaidOut } from "./fit.ts";
import { foldName, wrap } from "./wrap.ts";

/** A table as lines, and the headers of the columns that the terminal had no room for. */
export interface DrawnTable {
  readonly lines: readonly string[];
  readonly leftOut: readonly string[];
}

/** Draws a table: header dim, worst figures marked, prose wrapped, no line over the surface's width. */
export function drawTable(table: Table, surface: Surface, indent = 2): DrawnTable {
  const fitted = fitColumns(table.columns, surface.width - indent, surface);
  const margin = " ".repeat(indent);
  const lines = layLines(
    fitted.columns,
    ({ header }) => header,
    (text, column) =>
      pad(text, column.width, column.column.align) + (column.bars ? " ".repeat(BAR_COLUMNS + 1) : ""),
  ).map((line) => margin + surface.style(line, "dim"));
  for (let row = 0; row < table.rows; row++) {
    lines.push(
      ...layLines(
        fitted.columns,
        ({ cells }) => cells[row] ?? "",
        (text, column, line) => drawCell(column, text, line === 0 ? row : undefined, surface),
      ).map((line) => margin + line),
      ...drawBelow(fitted, row, indent, surface),
    );
  }
  return { lines, leftOut: fitted.leftOut };
}

/** Texts side by side, one per column, in as many lines as the tallest takes. */
function layLines(
  columns: readonly LaidOut[],
  textOf: (column: LaidOut) => string,
  draw: (text: string, column: LaidOut, line: number) => string,
): string[] {
  const texts = columns.map((column) => {
    if (column.folds) return foldName(textOf(column), column.width);
    return column.column.wrap ? wrap(textOf(column), column.width) : [textOf(column)];
  });
  const height = Math.max(1, ...texts.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((column, index) => draw(texts[index]?.[line] ?? "", column, line))
      .join(GAP)
      .trimEnd(),
  );
}

/** In the first line of a row, figures have their bar and the mark of the worst. */
function drawCell(column: LaidOut, text: string, row: number | undefined, surface: Surface): string {
  const padded = pad(text, column.width, column.column.align);
  const isWorst = row !== undefined && column.column.worstRow === row;
  const level = row === undefined ? undefined : column.column.levels?.[row];
  const style: Style | undefined = isWorst ? "worst" : level === undefined ? undefined : `level-${level}`;
  const cell = style === undefined ? padded : surface.style(padded, style);
  if (!column.bars) return cell;
  const share = row === undefined ? Number.NaN : (column.column.bars?.[row] ?? Number.NaN);
  const drawn = bar(share, BAR_COLUMNS, surface.unicode);
  return `${cell} ${surface.style(drawn, isWorst ? "worst" : "blue")}${" ".repeat(BAR_COLUMNS - displayWidth(drawn))}`;
}

function drawBelow({ below }: Fitted, row: number, indent: number, surface: Surface): string[] {
  const text = below?.cells[row] ?? "";
  if (text === "") return [];
  const margin = indent + 4;
  return wrap(text, surface.width - margin).map((line) => " ".repeat(margin) + surface.style(line, "dim"));
}
