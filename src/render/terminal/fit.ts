import type { Surface } from "../document/surface.ts";
import type { TableColumn } from "../document/table.ts";
import { displayWidth } from "./columns.ts";
import { foldName } from "./wrap.ts";

export const GAP = "  ";
export const BAR_COLUMNS = 10;
/** Columns with a higher priority number are dropped before bars are. */
const BAR_PRIORITY = 3;
/**
 * Names and paths are folded to this width before columns of figures are dropped, and to the second as a last resort.
 */
const LONG_TEXT = 28;
const SHORT_TEXT = 12;
/** In fewer columns than this, prose is harder to read than below its row. */
const LEAST_PROSE = 24;

/** A column laid out for drawing. */
export interface LaidOut {
  readonly column: TableColumn;
  readonly header: string;
  readonly cells: readonly string[];
  readonly width: number;
  readonly bars: boolean;
  /** Whether its header and cells wrap onto several lines instead of being cut. */
  readonly folds: boolean;
}

export interface Fitted {
  readonly columns: readonly LaidOut[];
  /** Prose placed below its row for lack of room. */
  readonly below: LaidOut | undefined;
  /** Headers of columns that are not drawn. */
  readonly leftOut: readonly string[];
}

/**
 * Fits columns into `room`: the least needed columns are dropped first, then bars, then prose moves below its row, then
 * long names are folded. Figures are never cut.
 */
export function fitColumns(all: readonly TableColumn[], room: number, surface: Surface): Fitted {
  let columns = all.map((column) => layOut(column, surface));
  let below: LaidOut | undefined;
  const leftOut: string[] = [];
  const dropDownTo = (priority: number, proseWidth = LEAST_PROSE): void => {
    while (!fits(columns, room, proseWidth)) {
      const last = leastNeeded(columns);
      if (last === undefined || last.column.priority <= priority) break;
      columns = columns.filter((column) => column !== last);
      leftOut.unshift(last.header);
    }
  };
  const prose = columns.find((column) => column.column.wrap);
  // Columns less important than the prose are dropped rather than squeezing it.
  if (prose !== undefined) dropDownTo(Math.max(BAR_PRIORITY, prose.column.priority), prose.width);
  dropDownTo(BAR_PRIORITY);
  if (!fits(columns, room)) columns = columns.map((column) => ({ ...column, bars: false }));
  if (!fits(columns, room)) {
    below = columns.find((column) => column.column.wrap);
    columns = columns.filter((column) => column !== below);
  }
  if (!fits(columns, room)) columns = columns.map((column) => fold(column, LONG_TEXT));
  dropDownTo(1);
  if (!fits(columns, room)) columns = columns.map((column) => fold(column, SHORT_TEXT));
  columns = unfold(columns, room);
  const left = room - totalWidth(columns.filter((column) => !column.column.wrap)) - GAP.length;
  columns = columns.map((column) =>
    column.column.wrap ? { ...column, width: Math.min(column.width, left) } : column,
  );
  return { columns, below, leftOut };
}

function layOut(column: TableColumn, surface: Surface): LaidOut {
  const header = surface.text(column.header);
  const cells = column.cells.map(surface.text);
  return {
    column,
    header,
    cells,
    width: widest([header, ...cells]),
    bars: column.bars !== undefined,
    folds: false,
  };
}

function fold(column: LaidOut, most: number): LaidOut {
  if (column.width <= most || column.column.wrap || column.column.align === "right") return column;
  return { ...column, width: most, folds: true };
}

/** Gives folded columns the remaining room, and takes back what they do not need. */
function unfold(columns: readonly LaidOut[], room: number): LaidOut[] {
  let spare = Math.max(0, room - totalWidth(columns));
  return columns.map((column) => {
    if (!column.folds) return column;
    const most = column.width + spare;
    const width = widest([column.header, ...column.cells].flatMap((text) => foldName(text, most)));
    spare -= Math.max(0, width - column.width);
    return { ...column, width };
  });
}

/**
 * The column with the highest priority number above 1, the rightmost if there are several; prose is never dropped, it
 * only moves.
 */
function leastNeeded(columns: readonly LaidOut[]): LaidOut | undefined {
  let least: LaidOut | undefined;
  for (const column of columns) {
    if (column.column.wrap || column.column.priority <= 1) continue;
    if (column.column.priority >= (least?.column.priority ?? 0)) least = column;
  }
  return least;
}

function fits(columns: readonly LaidOut[], room: number, proseWidth = LEAST_PROSE): boolean {
  return totalWidth(columns, proseWidth) <= room;
}

/** Prose counts with the width it is wrapped to. */
function totalWidth(columns: readonly LaidOut[], proseWidth = LEAST_PROSE): number {
  const widths = columns.map((column) => {
    if (column.column.wrap) return Math.min(column.width, proseWidth);
    return column.width + (column.bars ? BAR_COLUMNS + 1 : 0);
  });
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, columns.length - 1);
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0);
}
