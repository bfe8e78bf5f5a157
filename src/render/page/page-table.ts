import type { PageColumn, PageTable } from "../../results/index.ts";
import { NEEDED, shownCell, shownRows, type Table, type TableColumn } from "../document/index.ts";

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

function pageColumn({ priority: _, bars, wrap, ...column }: TableColumn): PageColumn {
  return {
    ...column,
    cells: column.cells.map((_, row) => shownCell(column, row)),
    ...(bars !== undefined && { bars: bars.map((share) => (Number.isNaN(share) ? null : share)) }),
    ...(wrap && { wrap }),
  };
}
