import { type FigureKind, formatColumn, formatFigure, isFigure } from "../text/display/index.ts";
import {
  type ChartOptions,
  DEFAULT_WIDTH,
  drawChart,
  drawEmptyChart,
  fitLabel,
  withTooltip,
} from "./frame.ts";
import { type CellColumns, drawCellNumber, drawColumnNames, spreadColumns } from "./heat-cells.ts";
import { HEAT_LEVELS, heatBounds, heatFill, heatInk, heatLevel } from "./heat-levels.ts";
import { PALETTE } from "./palette.ts";
import { element, textElement } from "./svg.ts";

export interface HeatGridRow {
  readonly label: string;
  /** One value per column, not negative; NaN is a cell without a value, which is not 0. */
  readonly values: readonly number[];
}

export interface HeatGridOptions extends ChartOptions {
  /** What the columns stand for. */
  readonly xLabel: string;
  readonly kind: FigureKind;
}

const TOP = 70;
const CELL_HEIGHT = 24;
const GAP = 2;
const LABEL_WIDTH = 104;
const LABEL_CHARACTERS = 16;
/** A number does not fit into narrower cells. */
const LEAST_FOR_NUMBER = 40;
/** Room that a column's name takes. */
const LEAST_FOR_NAME = 58;
const KEY_WIDTH = 46;

/** Rows of cells on one scale, which is shown above them; every cell has its number in its tooltip. */
export function heatGrid(
  columns: readonly string[],
  rows: readonly HeatGridRow[],
  options: HeatGridOptions,
): string {
  const { width = DEFAULT_WIDTH, kind, xLabel } = options;
  const largest = rows
    .flatMap(({ values }) => values)
    .reduce((most, value) => (isFigure(value) && value > most ? value : most), 0);
  if (columns.length === 0 || rows.length === 0) return drawEmptyChart(options, "no values");
  const sized = { ...options, height: TOP + rows.length * (CELL_HEIGHT + GAP) + 36 };
  const cells = spreadColumns(columns.length, LABEL_WIDTH, width);
  const figures = formatColumn(
    rows.flatMap(({ values }) => columns.map((_, at) => values[at])),
    kind,
  );
  const drawn = rows.map((row, index) => {
    const own = figures.slice(index * columns.length, (index + 1) * columns.length);
    return drawRow(row, columns, own, TOP + index * (CELL_HEIGHT + GAP), cells, largest);
  });
  const feet = TOP + rows.length * (CELL_HEIGHT + GAP) + 13;
  const names = drawColumnNames(columns, cells, {
    y: feet,
    size: 10,
    room: LEAST_FOR_NAME,
    characters: (pixels) => Math.max(6, Math.floor(pixels / 6)),
  });
  const unit = textElement(xLabel, { x: width, y: feet + 16, "text-anchor": "end", fill: PALETTE.muted });
  return drawChart(
    sized,
    `${rows.length} rows by ${xLabel}, from 0 to ${formatFigure(largest, kind)}`,
    [],
    [drawKey(largest, kind), ...drawn, names, unit],
  );
}

function drawKey(largest: number, kind: FigureKind): string {
  const bounds = formatColumn(heatBounds(largest).slice(1), kind);
  return Array.from({ length: HEAT_LEVELS }, (_, level) => {
    const x = level * KEY_WIDTH;
    return (
      element("rect", {
        x,
        y: 26,
        width: KEY_WIDTH - 2,
        height: 12,
        fill: heatFill(level),
        stroke: PALETTE.grid,
      }) +
      textElement(level === 0 ? "from 0" : (bounds[level - 1] ?? ""), {
        x,
        y: 50,
        "font-size": 9.5,
        fill: PALETTE.muted,
      })
    );
  }).join("");
}

function drawRow(
  row: HeatGridRow,
  columns: readonly string[],
  figures: readonly string[],
  top: number,
  at: CellColumns,
  largest: number,
): string {
  const cells = columns.map((column, index) => {
    const value = row.values[index] ?? Number.NaN;
    const known = isFigure(value);
    const level = heatLevel(value, largest);
    const text = known ? (figures[index] ?? "") : "–";
    return withTooltip(
      `${row.label}, ${column}: ${known ? text : "not known"}`,
      element("rect", {
        x: at.left + index * at.width + 1,
        y: top,
        width: Math.max(1, at.width - GAP),
        height: CELL_HEIGHT,
        fill: known ? heatFill(level) : "none",
        stroke: PALETTE.grid,
        "stroke-dasharray": known ? undefined : "2 2",
      }),
      drawCellNumber(text, at, index, {
        ...{ top, height: CELL_HEIGHT, least: LEAST_FOR_NUMBER },
        fill: known ? heatInk(level) : PALETTE.muted,
      }),
    );
  });
  const label = fitLabel(row.label, LABEL_CHARACTERS);
  const name = withTooltip(
    label.whole,
    textElement(label.shown, { x: LABEL_WIDTH - 8, y: top + CELL_HEIGHT / 2 + 4, "text-anchor": "end" }),
  );
  return name + cells.join("");
}
