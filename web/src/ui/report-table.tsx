import type { ComponentChildren } from "preact";
import type { Table, TableColumn } from "../../../src/report/content/table.ts";
import type { Row } from "./export.ts";
import { ExportMenu } from "./export-menu.tsx";
import "./report-table.css";
import { ScrollBox } from "./scroll-box.tsx";

export interface ReportTableProps {
  readonly table: Table;
  /** What is exported: all figures with all their digits. */
  readonly rows: () => readonly Row[];
  /** Columns of a higher number are left to the export. */
  readonly priority?: number;
  /** A cell of the first column as a link. */
  readonly link?: (row: number, text: string) => ComponentChildren;
}

/** A table of the report: the same cells as in the terminal and the HTML report. */
export function ReportTable({ table, rows, priority = 3, link }: ReportTableProps) {
  const columns = table.columns.filter((column) => column.priority <= priority);
  return (
    <div class="report-table">
      <div class="table-head">
        <h3>{table.title}</h3>
        <ExportMenu name={table.id} rows={rows} />
      </div>
      <ScrollBox label={table.title}>
        <table>
          <thead>
            <tr>
              {columns.map((column) =>
                column.header === "" ? (
                  <td key="" />
                ) : (
                  <th key={column.header} scope="col" class={column.align} title={column.meaning}>
                    {column.header}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: table.rows }, (_, row) => (
              <tr key={row}>
                {columns.map((column, index) => (
                  <td key={column.header} class={classOf(column, row)}>
                    {index === 0 && link !== undefined
                      ? link(row, column.cells[row] ?? "")
                      : cellOf(column, row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {table.note !== undefined && <p class="note">{table.note}</p>}
    </div>
  );
}

function cellOf(column: TableColumn, row: number): ComponentChildren {
  const text = column.cells[row] ?? "";
  const level = column.levels?.[row];
  if (level !== undefined) return <span class={`level ${level}`}>{text}</span>;
  const share = column.bars?.[row];
  if (share === undefined) return text;
  return (
    <>
      {text}
      <span class="share-bar" aria-hidden="true">
        <i style={{ width: `${Math.max(0, share || 0) * 100}%` }} />
      </span>
    </>
  );
}

function classOf(column: TableColumn, row: number): string {
  const names = [
    column.align,
    ...(column.wrap ? ["wrap"] : []),
    ...(column.worstRow === row ? ["worst"] : []),
  ];
  return names.join(" ");
}
