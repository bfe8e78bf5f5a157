/**
 * Tables as every medium draws them: text cells, already formatted and printable, with what a medium needs to lay
 * them out.
 *
 * @module
 */

import {
  type Figure,
  type FigureKind,
  formatColumn,
  formatFigure,
  isFigure,
  isMissing,
} from "../../core/text/index.ts";
import { RUN_METRICS, type RunMetricKey } from "../../results/metrics/run-metrics.ts";
import type { PageColumn, PageMove, PageRow } from "../../results/page.ts";
import type { VerdictLevel } from "../../results/report.ts";
import { displayed } from "../text/display/index.ts";
import { printable } from "../text/printable.ts";

/** `spans`, `color`, `contexts` and `meanings` are for the viewer's page. */
export interface TableColumn extends Pick<PageColumn, "spans" | "color" | "contexts" | "meanings"> {
  readonly header: string;
  readonly align: "left" | "right";
  /** One cell per row. */
  readonly cells: readonly string[];
  /** The same figures as written outside of columns, where only the number of significant digits counts. */
  readonly alone?: readonly string[];
  /** A medium that is too narrow leaves out the columns with the highest numbers first. */
  readonly priority: number;
  /** Shares of the largest value, 0 to 1, for a bar beside the figures (NaN: no bar). */
  readonly bars?: readonly number[];
  /** The row that matters most in this column. */
  readonly worstRow?: number;
  /** The level that each cell names, for its color. */
  readonly levels?: readonly VerdictLevel[];
  /** Whether it is prose that may be wrapped; at most one column of a table. */
  readonly wrap?: boolean;
  readonly meaning?: string;
}

export interface Table {
  readonly id: string;
  readonly title: string;
  /** What was folded or left out, or how to read it. */
  readonly note?: string;
  readonly columns: readonly TableColumn[];
  readonly rows: number;
  /** The rows to export, all figures in full precision; default the cells as shown. */
  readonly raw?: () => readonly PageRow[];
  /** Where each row's first cell leads on the viewer's page. */
  readonly links?: readonly (PageMove | null)[];
  /** First cells are handles of sequences or tokens. */
  readonly handles?: true;
  /** Whether the viewer's page shows all columns; default those with a priority up to {@link NEEDED}. */
  readonly isWhole?: true;
  /** Number of rows that the page shows at first, if there are far more. */
  readonly first?: number;
}

/** Columns with a higher priority are left out for a reader who wants the essential ones. */
export const NEEDED = 3;

export interface ColumnOptions {
  readonly priority?: number;
  readonly meaning?: string;
  /** Draw bars beside the figures. */
  readonly bars?: boolean;
  /** Mark the row with the largest (`most`) or smallest (`least`) figure. */
  readonly worst?: "most" | "least";
}

export function figureColumn(
  header: string,
  kind: FigureKind,
  values: readonly Figure[],
  options: ColumnOptions = {},
): TableColumn {
  const { priority = 2, meaning, bars, worst } = options;
  const worstRow = worst === undefined ? undefined : findWorst(values, worst);
  return {
    header,
    align: "right",
    cells: formatColumn(values, kind),
    ...((kind === "number" || kind === "signed") && {
      alone: values.map((value) => formatFigure(value, kind)),
    }),
    priority,
    ...(meaning === undefined ? {} : { meaning }),
    ...(bars ? { bars: shareOfLargest(values) } : {}),
    ...(worstRow === undefined ? {} : { worstRow }),
  };
}

/** A column of a figure as its entry names it. */
export function metricColumn<Key extends RunMetricKey>(
  key: Key,
  of: (key: Key) => readonly Figure[],
  options?: ColumnOptions,
): TableColumn {
  const { label, kind } = RUN_METRICS[key];
  return figureColumn(label, kind, of(key), options);
}

/** A column of foreign or own text; control characters are written out. */
export function textColumn(
  header: string,
  cells: readonly string[],
  options: {
    readonly priority?: number;
    readonly meaning?: string;
    readonly align?: "left" | "right";
    readonly wrap?: boolean;
    readonly levels?: readonly VerdictLevel[];
    readonly meanings?: readonly string[];
  } = {},
): TableColumn {
  const { priority = 1, align = "left", wrap = false, ...rest } = options;
  return { header, align, cells: cells.map(printable), priority, wrap, ...rest };
}

/** Tokens, which the viewer's page shows within their text. */
export function contextColumn(header: string, contexts: NonNullable<PageColumn["contexts"]>): TableColumn {
  return {
    ...textColumn(
      header,
      contexts.map((context) => context?.[1] ?? ""),
    ),
    contexts,
  };
}

export function makeTable(id: string, title: string, columns: readonly TableColumn[], note?: string): Table {
  return { id, title, columns, rows: columns[0]?.cells.length ?? 0, ...(note === undefined ? {} : { note }) };
}

/** Index of the worst figure; undefined if fewer than two rows differ. */
function findWorst(values: readonly Figure[], worst: "most" | "least"): number | undefined {
  const sign = worst === "most" ? 1 : -1;
  let at: number | undefined;
  let differ = false;
  let best = 0;
  for (const [index, value] of values.entries()) {
    if (isMissing(value)) continue;
    if (at !== undefined && value !== best) differ = true;
    if (at === undefined || sign * value > sign * best) {
      at = index;
      best = value;
    }
  }
  return differ ? at : undefined;
}

function shareOfLargest(values: readonly Figure[]): number[] {
  let largest = 0;
  for (const value of values) if (isFigure(value) && value > largest) largest = value;
  return values.map((value) => {
    if (value === Number.POSITIVE_INFINITY) return 1;
    return isFigure(value) && value >= 0 && largest > 0 ? value / largest : Number.NaN;
  });
}

/** A cell as pages show it: figures with their signs, names as they are. */
export function shownCell({ align, cells }: Pick<TableColumn, "align" | "cells">, row: number): string {
  const text = cells[row] ?? "";
  return align === "right" ? displayed(text) : text;
}
