import type { SequenceTable } from "../../../../src/results/wire/index.ts";
import { makeHref, navigate } from "../../state/url.ts";
import { type TableColumn, type TableSort, VirtualTable } from "../../ui/virtual-table/virtual-table.tsx";
import { HANDLE, type SequencesColumn } from "./columns.ts";
import { sortAfter } from "./selection.ts";

/** One row per sequence. */
export function SequenceRows({
  table,
  rows,
  columns,
  sort,
}: {
  readonly table: SequenceTable;
  readonly rows: Uint32Array;
  readonly columns: readonly SequencesColumn[];
  readonly sort: TableSort;
}) {
  return (
    <VirtualTable
      label="Sequences"
      noun="sequence"
      columns={columns.map((column) => tableColumn(table, column))}
      count={rows.length}
      row={(at) => rows[at]!}
      sort={sort}
      onSort={(key) => {
        const textual = columns.find((column) => column.key === key)?.align === undefined;
        navigate({ params: { sort: sortAfter(sort, key, textual) } });
      }}
      onOpen={openSequence}
    />
  );
}

export function openSequence(sequence: number): void {
  navigate({ view: "sequence", sequence, token: undefined });
}

export function tableColumn(table: SequenceTable, column: SequencesColumn): TableColumn<number> {
  const { key, title, help, width, align, text, cell = (row) => sequenceCell(table, column, row) } = column;
  return {
    key,
    title,
    help,
    width,
    ...(align && { align }),
    sortable: true,
    cell: (row) => cell(row) ?? text(table, row),
    cellClass: (row) => (key === "correct" ? CORRECTNESS[table.columns.correct[row]!] : undefined),
  };
}

const CORRECTNESS: Readonly<Record<number, string>> = { 1: "is-right", 0: "is-wrong" };

/** Cells that lead somewhere. */
function sequenceCell(table: SequenceTable, { key, text }: SequencesColumn, row: number) {
  if (key === HANDLE)
    return <a href={makeHref({ view: "sequence", sequence: row, token: undefined })}>{text(table, row)}</a>;
  const worst = table.columns.worst_token[row]!;
  if (key !== "worst" || !(worst >= 0)) return undefined;
  return (
    <a href={makeHref({ view: "sequence", sequence: row, token: worst })} title={`token ${worst}`}>
      {text(table, row)}
    </a>
  );
}
