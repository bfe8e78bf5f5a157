import type { PageColumn, PageTable } from "../../results/page.ts";
import { shownRows } from "../document/rows.ts";
import { NEEDED, shownCell, type Table, type TableColumn } from "../document/table.ts";

export function pageTable(table: Table): PageTable {
  const { id, title, note, columns, rows, links, handles, isWhole = false, first } = table;
  return {
    id,
    title,
    ...(note !== undefined && { note }),
    rows,
    columns: columns.filter(({ priority }) => isWhole || priority <= NEEDED).map(pageColumn),
    ...(links !== undefined && { links }),
    ...(handles && { handles }),
    ...(first !== undefined && first < rows && { first }),
    raw: table.raw?.() ?? shownRows(table),
  };
}

/** A figure looks the same in tables, cards and sentences: it must not vary with the digits that a column needs. */
function pageColumn({ priority: _, alone, bars, wrap, ...column }: TableColumn): PageColumn {
  const shown = { ...column, cells: alone ?? column.cells };
  return {
    ...shown,
    cells: shown.cells.map((_, row) => shownCell(shown, row)),
    ...(bars !== undefined && { bars: bars.map((share) => (Number.isNaN(share) ? null : share)) }),
    ...(wrap && { wrap }),
  };
}
