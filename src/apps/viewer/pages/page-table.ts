/**
 * Tables of reports, in the form sent to the page.
 *
 * @module
 */

import { shownCell, type Table, type TableColumn } from "../../../render/document/index.ts";
import type { PageColumn, PageMove, PageRow, PageTable } from "../../../results/index.ts";

export interface PageTableOptions {
  /** The rows to export. */
  readonly raw: readonly PageRow[];
  /** Columns with a higher number are only exported. */
  readonly priority?: number;
  readonly links?: readonly (PageMove | null)[];
  /** First cells are handles. */
  readonly handles?: boolean;
  readonly first?: number;
}

const PRIORITY = 3;

export function pageTable(
  { id, title, note, columns, rows }: Table,
  { raw, priority = PRIORITY, links, handles = false, first }: PageTableOptions,
): PageTable {
  return {
    id,
    title,
    ...(note !== undefined && { note }),
    rows,
    columns: columns.filter((column) => column.priority <= priority).map(pageColumn),
    ...(links !== undefined && { links }),
    ...(handles && { handles }),
    ...(first !== undefined && first < rows && { first }),
    raw,
  };
}

export function pageColumn({ priority: _, bars, wrap, ...column }: TableColumn): PageColumn {
  return {
    ...column,
    cells: column.cells.map((_, row) => shownCell(column, row)),
    ...(bars !== undefined && { bars: bars.map((share) => (Number.isNaN(share) ? null : share)) }),
    ...(wrap && { wrap }),
  };
}
