import { formatNumber, isFigure } from "../text/display/index.ts";
import { type ChartOptions, drawChart, drawEmptyChart, fitLabel } from "./frame.ts";
import { HEAT_LEVELS, heatBounds, heatFill, heatInk, heatLevel } from "./heat-levels.ts";
import { PALETTE } from "./palette.ts";
import { element, textElement } from "./svg.ts";

/** A token, or several drawn as one. */
export interface TokenColumn {
  readonly text: string;
  /** One value per row; null is a cell without a value. */
  readonly values: readonly (number | null)[];
  readonly mark: "spike" | "error" | null;
}

const KEY_WIDTH = 50;
const TOP = 74;
const CELL = 16;
const HEAD = 18;
const LINE_GAP = 14;
const LABEL_WIDTH = 116;
const LABEL_CHARACTERS = 18;
const CHARACTER = 6.2;
const LEAST_WIDTH = 16;

/**
 * Tokens across, rows down, in lines like text; every cell contains its level, so that it can be read without colors.
 *
 * @param lines of tokens
 * @param rows names of the values' rows
 * @param largest end of the scale
 */
export function tokenGrid(
  lines: readonly (readonly TokenColumn[])[],
  rows: readonly string[],
  largest: number,
  options: ChartOptions,
): string {
  if (lines.length === 0 || rows.length === 0) return drawEmptyChart(options, "no values");
  const lineHeight = HEAD + rows.length * CELL + LINE_GAP;
  const widest = Math.max(...lines.map((line) => line.reduce((sum, { text }) => sum + measure(text), 0)));
  const width = Math.max(HEAT_LEVELS * KEY_WIDTH, LABEL_WIDTH + widest + 4);
  const sized = { ...options, width, height: TOP + lines.length * lineHeight };
  const drawn = lines.map((line, at) => drawLine(line, rows, largest, TOP + at * lineHeight));
  const told = `${rows.length} rows of values over ${lines.flat().length} tokens, from 0 to ${formatNumber(largest)}`;
  return drawChart(sized, told, [], [drawKey(largest), ...drawn]);
}

function measure(text: string): number {
  return Math.max(LEAST_WIDTH, [...text].length * CHARACTER + 6);
}

function drawKey(largest: number): string {
  const bounds = heatBounds(largest);
  return Array.from({ length: HEAT_LEVELS }, (_, level) => {
    const x = level * KEY_WIDTH;
    return (
      drawCell(x, 26, KEY_WIDTH - 2, level) +
      textElement(level === 0 ? "from 0" : formatNumber(bounds[level] ?? 0), {
        x,
        y: 54,
        "font-size": 9,
        fill: PALETTE.muted,
      })
    );
  }).join("");
}

function drawCell(x: number, y: number, width: number, level: number): string {
  const number =
    level === 0
      ? ""
      : textElement(String(level), {
          x: x + width / 2,
          y: y + 11,
          "text-anchor": "middle",
          "font-size": 9,
          fill: heatInk(level),
        });
  return (
    element("rect", { x, y, width, height: CELL - 2, fill: heatFill(level), stroke: PALETTE.grid }) + number
  );
}

function drawLine(
  line: readonly TokenColumn[],
  rows: readonly string[],
  largest: number,
  top: number,
): string {
  const names = rows.map((name, row) =>
    textElement(fitLabel(name, LABEL_CHARACTERS).shown, {
      x: LABEL_WIDTH - 6,
      y: top + HEAD + row * CELL + 11,
      "text-anchor": "end",
      "font-size": 10,
      fill: PALETTE.muted,
    }),
  );
  let x = LABEL_WIDTH;
  const columns = line.map((column) => {
    const width = measure(column.text);
    const drawn = drawColumn(column, x, width, top, largest);
    x += width;
    return drawn;
  });
  return [...names, ...columns].join("");
}

function drawColumn(
  { text, values, mark }: TokenColumn,
  x: number,
  width: number,
  top: number,
  largest: number,
): string {
  const color = mark === "error" ? PALETTE.purple : mark === "spike" ? PALETTE.orange : PALETTE.ink;
  const head = textElement(text, {
    x: x + width / 2,
    y: top + 11,
    "text-anchor": "middle",
    "font-size": 10,
    "font-weight": mark === null ? undefined : 700,
    fill: color,
  });
  const cells = values.map((value, row) => {
    const y = top + HEAD + row * CELL;
    if (isFigure(value)) return drawCell(x + 1, y, width - 2, heatLevel(value, largest));
    return element("path", { d: `M${x + width / 2 - 3} ${y + 7}h6`, stroke: PALETTE.muted });
  });
  return head + cells.join("");
}
