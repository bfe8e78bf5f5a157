import { type FigureKind, formatFigure, isFigure } from "../text/display/index.ts";
import { type ChartOptions, DEFAULT_WIDTH, drawChart, drawEmptyChart, withTooltip } from "./frame.ts";
import { type CellColumns, drawCellNumber, drawColumnNames, spreadColumns } from "./heat-cells.ts";
import { PALETTE } from "./palette.ts";
import { element, textElement } from "./svg.ts";

export interface HeatRow {
  readonly label: string;
  readonly kind: FigureKind;
  /** One value per column; NaN leaves an empty cell. */
  readonly values: readonly number[];
}

export interface HeatStripOptions extends ChartOptions {
  /** What the columns stand for. */
  readonly xLabel: string;
}

const TOP = 44;
const CELL_HEIGHT = 30;
const LABEL_WIDTH = 84;
/** A number does not fit into narrower cells. */
const LEAST_FOR_NUMBER = 36;
/** Room that a column's name takes. */
const LEAST_FOR_NAME = 46;
/** An exponent below 1, so that small values differ from 0. */
const GAMMA = 0.5;
const STRONGEST = 0.85;

/**
 * Rows of cells, each on its own scale from 0 to its largest magnitude. In rows with signs, cells are orange above 0
 * and blue below, as in the token strip; other rows are blue. Every cell has its number, in it or in its tooltip.
 */
export function heatStrip(
  columns: readonly string[],
  rows: readonly HeatRow[],
  options: HeatStripOptions,
): string {
  const { width = DEFAULT_WIDTH } = options;
  const sized = { ...options, height: TOP + rows.length * (CELL_HEIGHT + 3) + 22 };
  if (columns.length === 0 || rows.length === 0) return drawEmptyChart(options, "no values");
  const cells = spreadColumns(columns.length, LABEL_WIDTH, width);
  const drawn = rows.map((row, index) => drawRow(row, columns, TOP + index * (CELL_HEIGHT + 3), cells));
  const names = drawColumnNames(columns, cells, {
    y: sized.height - 8,
    size: 10.5,
    room: LEAST_FOR_NAME,
    characters: () => 12,
  });
  const unit = textElement(options.xLabel, { x: LABEL_WIDTH, y: 33, fill: PALETTE.muted });
  const description = rows
    .map((row) => `${row.label} up to ${formatFigure(largestSize(row.values), row.kind)}`)
    .join("; ");
  return drawChart(sized, `${description}; by ${options.xLabel}`, [], [unit, ...drawn, names]);
}

function drawRow(row: HeatRow, columns: readonly string[], top: number, at: CellColumns): string {
  const largest = largestSize(row.values);
  const cells = columns.map((column, index) => {
    const value = row.values[index] ?? Number.NaN;
    const share = isFigure(value) && largest > 0 ? Math.abs(value) / largest : 0;
    const left = at.left + index * at.width;
    const text = formatFigure(value, row.kind);
    return withTooltip(
      `${column}: ${row.label} ${text}`,
      element("rect", {
        x: left + 0.5,
        y: top,
        width: at.width - 1,
        height: CELL_HEIGHT,
        fill: PALETTE.grid,
        "fill-opacity": 0.45,
      }),
      element("rect", {
        x: left + 0.5,
        y: top,
        width: at.width - 1,
        height: CELL_HEIGHT,
        fill: row.kind === "signed" && value > 0 ? PALETTE.orange : PALETTE.blue,
        "fill-opacity": STRONGEST * share ** GAMMA,
      }),
      drawCellNumber(text, at, index, {
        ...{ top, height: CELL_HEIGHT, least: LEAST_FOR_NUMBER },
        fill: share ** GAMMA > 0.6 ? "var(--lr-paper, #ffffff)" : PALETTE.ink,
      }),
    );
  });
  const label = textElement(row.label, {
    x: LABEL_WIDTH - 8,
    y: top + CELL_HEIGHT / 2 + 4,
    "text-anchor": "end",
  });
  return label + cells.join("");
}

function largestSize(values: readonly number[]): number {
  return values.reduce(
    (most, value) => (isFigure(value) && Math.abs(value) > most ? Math.abs(value) : most),
    0,
  );
}
