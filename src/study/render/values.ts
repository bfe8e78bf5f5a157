/**
 * Cells of KL tables: the project's formats, with a dash where a figure is unknown.
 *
 * @module
 */

import {
  type Figure,
  type FigureKind,
  formatCoefficient,
  formatColumn,
  formatFigure,
  formatNumber,
  formatPair,
  formatShare,
  isMissing,
  MISSING,
} from "../../core/text/index.ts";
import {
  type ColumnOptions,
  figureColumn,
  type TableColumn,
  textColumn,
} from "../../render/document/index.ts";
import type { KlInterval } from "../results/checkpoints.ts";

export const NONE = "–";

type CellOptions = { readonly priority?: number; readonly meaning?: string };

export function figure(value: Figure, kind: FigureKind = "number"): string {
  return dash(formatFigure(value, kind));
}

/** A column of figures in one style. */
export function column(
  header: string,
  kind: FigureKind,
  values: readonly Figure[],
  options: ColumnOptions = {},
): TableColumn {
  const drawn = figureColumn(header, kind, values, options);
  return { ...drawn, cells: drawn.cells.map(dash) };
}

/** `0.0170 ± 0.0071`, both in one style; bars show the means. */
export function meanColumn(
  header: string,
  means: readonly Figure[],
  deviations: readonly Figure[],
  options: ColumnOptions = {},
): TableColumn {
  const drawn = figureColumn(header, "number", means, options);
  const figures = formatColumn([...means, ...deviations], "number");
  const cells = means.map((mean, row) => {
    const deviation = deviations[row];
    if (isMissing(mean)) return NONE;
    return isMissing(deviation) ? `${figures[row]}` : `${figures[row]} ± ${figures[means.length + row]}`;
  });
  return { ...drawn, cells };
}

/** `0.0063 to 0.0073`. */
function intervalColumn(
  header: string,
  intervals: readonly (KlInterval | null)[],
  { signed = false, ...options }: CellOptions & { readonly signed?: boolean } = {},
): TableColumn {
  const ends = formatColumn(
    intervals.flatMap((interval) => [interval?.low, interval?.high]),
    signed ? "signed" : "number",
  );
  const cells = intervals.map((interval, row) =>
    interval === null ? NONE : `${ends[2 * row]} to ${ends[2 * row + 1]}`,
  );
  return textColumn(header, cells, { align: "right", priority: 2, ...options });
}

/** p-values, each with its own three digits: their magnitudes differ too much for one style. */
function pColumn(header: string, values: readonly Figure[], options: CellOptions = {}): TableColumn {
  return textColumn(
    header,
    values.map((value) => dash(formatNumber(value))),
    { align: "right", priority: 2, ...options },
  );
}

/** Columns of a table with a row for each of `rows`; each column is a function of a row. */
export function makeColumns<Row>(rows: readonly Row[]) {
  return {
    text: (
      header: string,
      of: (row: Row, at: number) => string,
      options?: Parameters<typeof textColumn>[2],
    ) => textColumn(header, rows.map(of), options),
    figure: (
      header: string,
      kind: FigureKind,
      of: (row: Row, at: number) => Figure,
      options?: ColumnOptions,
    ) => column(header, kind, rows.map(of), options),
    mean: (
      header: string,
      mean: (row: Row) => Figure,
      deviation: (row: Row) => Figure,
      options?: ColumnOptions,
    ) => meanColumn(header, rows.map(mean), rows.map(deviation), options),
    p: (header: string, of: (row: Row, at: number) => Figure, options?: CellOptions) =>
      pColumn(header, rows.map(of), options),
    interval: (
      header: string,
      of: (row: Row, at: number) => KlInterval | null,
      options?: CellOptions & { readonly signed?: boolean },
    ) => intervalColumn(header, rows.map(of), options),
  };
}

/** `−0.08 (−0.25 to 0.10)`: a coefficient between −1 and 1 deserves two decimals. */
export function coefficient(value: number, interval: KlInterval | null): string {
  const [text, low, high] = [value, interval?.low, interval?.high].map(formatCoefficient);
  return interval === null ? `${text}` : `${text} (${low} to ${high})`;
}

/** `0.00682 to 0.0170 (+149 %)`, with enough digits to tell the two apart. */
export function change(from: number, to: number): string {
  const [left, right] = formatPair(from, to);
  if (from === 0 || from === to) return `${left} to ${right}`;
  const grown = to / from - 1;
  return `${left} to ${right} (${grown > 0 ? "+" : ""}${formatShare(grown)})`;
}

export function yesNo(value: boolean | null): string {
  return value === null ? NONE : value ? "yes" : "no";
}

/** A token in quotes, so that its spaces are visible. */
export function quoted(token: string): string {
  return `“${token}”`;
}

/** The formatter's text for a missing figure, replaced by a dash. */
export function dash(text: string): string {
  return text === MISSING ? NONE : text;
}
