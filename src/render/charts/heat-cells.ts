import { fitLabel } from "./frame.ts";
import { PALETTE } from "./palette.ts";
import { textElement } from "./svg.ts";

/** The layout of a picture's columns of cells. */
export interface CellColumns {
  readonly left: number;
  /** Width of one cell. */
  readonly width: number;
}

/** Columns that share the width left by the names of rows. */
export function spreadColumns(count: number, left: number, width: number): CellColumns {
  return { left, width: (width - left) / count };
}

export interface NameStyle {
  readonly y: number;
  readonly size: number;
  /** Pixels that a name takes; if columns are narrower, some have none. */
  readonly room: number;
  /** Number of characters that fit into this many pixels. */
  readonly characters: (pixels: number) => number;
}

/** Column names below the columns, at as many of them as there is room for. */
export function drawColumnNames(
  names: readonly string[],
  { left, width }: CellColumns,
  { y, size, room, characters }: NameStyle,
): string {
  const every = Math.ceil(room / width);
  return names
    .map((name, index) =>
      index % every === 0
        ? textElement(fitLabel(name, characters(width * every)).shown, {
            x: left + (index + 0.5) * width,
            y,
            "text-anchor": "middle",
            "font-size": size,
            fill: PALETTE.muted,
          })
        : "",
    )
    .join("");
}

/** A cell's number; nothing if the cell is narrower than `least` pixels. */
export function drawCellNumber(
  text: string,
  { left, width }: CellColumns,
  index: number,
  { top, height, least, fill }: { top: number; height: number; least: number; fill: string },
): string {
  if (width < least) return "";
  return textElement(text, {
    x: left + (index + 0.5) * width,
    y: top + height / 2 + 3.5,
    "text-anchor": "middle",
    "font-size": 9.5,
    fill,
  });
}
