import type { RunInfo } from "../../../../src/results/view.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { readBrief, wantBriefs } from "../../state/briefs.ts";
import { findGroupPlace } from "../../state/group-place.ts";
import { makeHref, navigate, route } from "../../state/url.ts";
import { deltaScale } from "../../ui/legend.tsx";
import { Spark } from "../../ui/peek/spark.tsx";
import { MoveLink } from "../../ui/place-link.tsx";
import { type TableColumn, type TableSort, VirtualTable } from "../../ui/virtual-table/virtual-table.tsx";
import { type BriefColumn, HANDLE, isBriefColumn, type SequencesColumn } from "./columns.ts";
import { sortAfter } from "./selection.ts";

/** The table's name, under which column widths are saved. */
export const LIST = "Sequences";

/** One row per sequence. */
export function SequenceRows({
  info,
  table,
  rows,
  columns,
  sort,
}: {
  readonly info: RunInfo;
  readonly table: SequenceTable;
  readonly rows: Uint32Array;
  readonly columns: readonly SequencesColumn[];
  readonly sort: TableSort;
}) {
  const hasBriefs = columns.some(({ key }) => isBriefColumn(key));
  return (
    <VirtualTable
      label={LIST}
      noun="sequence"
      columns={columns.map((column) => tableColumn(table, column, info))}
      count={rows.length}
      row={(at) => rows[at]!}
      sort={sort}
      onSort={(key) => {
        const textual = columns.find((column) => column.key === key)?.align === undefined;
        navigate({ params: { sort: sortAfter(sort, key, textual) } });
      }}
      onOpen={openSequence}
      onPeek={togglePeek}
      onCurrent={followPeek}
      start={rows.indexOf(Number(route.peek().params.peek))}
      onWindow={(first, end) => hasBriefs && wantBriefs(info, Array.from(rows.subarray(first, end)))}
    />
  );
}

export function openSequence(sequence: number): void {
  navigate({ view: "sequence", sequence, token: undefined });
}

/** Opens the text of a row beside the list, or closes it. */
export function togglePeek(row: number): void {
  const isOpen = route.peek().params.peek === String(row);
  navigate({ params: { peek: isOpen ? undefined : String(row) } }, { replace: true });
}

/** Makes an open text follow the current row. */
export function followPeek(row: number): void {
  if (route.peek().params.peek !== undefined) navigate({ params: { peek: String(row) } }, { replace: true });
}

export function tableColumn(
  table: SequenceTable,
  column: SequencesColumn,
  info?: RunInfo,
): TableColumn<number> {
  const { key, title, help, width, align, pinned, text } = column;
  const isBrief = isBriefColumn(key);
  const cell = column.cell ?? ((row: number) => sequenceCell(table, column, row));
  return {
    ...{ key, title, help, width, sortable: !isBrief },
    ...(align && { align }),
    ...(pinned && { pinned }),
    cell:
      isBrief && info
        ? (row) => <BriefCell of={key} row={row} info={info} />
        : (row) => cell(row) ?? text(table, row),
    cellClass: (row) => (key === "correct" ? CORRECTNESS[table.columns.correct[row]!] : undefined),
  };
}

const CORRECTNESS: Readonly<Record<number, string>> = { 1: "is-right", 0: "is-wrong" };

/** A cell whose content is requested row by row. */
export function BriefCell({
  of,
  row,
  info,
}: {
  readonly of: BriefColumn;
  readonly row: number;
  readonly info: RunInfo;
}) {
  const brief = readBrief(row);
  if (of === "spark") return <Spark levels={brief?.spark} scale={deltaScale(info.scales)} />;
  if (of === "prompt-text") return <bdi title={brief?.prompt}>{brief?.prompt}</bdi>;
  // The end of an answer matters most, so a narrow cell cuts off its beginning.
  return (
    <span class="tail" title={brief?.answer}>
      <bdi>{brief?.answer}</bdi>
    </span>
  );
}

/** Cells with links or shortened texts. */
function sequenceCell(table: SequenceTable, { key, text, hint }: SequencesColumn, row: number) {
  if (key === HANDLE)
    return <MoveLink move={{ view: "sequence", sequence: row, token: undefined }} text={text(table, row)} />;
  if (key === "group") {
    const place = findGroupPlace(table, row);
    return (
      place !== undefined && (
        <a href={makeHref({ view: "group", sequence: place, token: undefined })} title={hint?.(table, row)}>
          {text(table, row)}
        </a>
      )
    );
  }
  if (hint) return <span title={hint(table, row)}>{text(table, row)}</span>;
  const worst = table.columns.worst_token[row]!;
  if (key !== "worst" || !(worst >= 0)) return undefined;
  return (
    <a href={makeHref({ view: "sequence", sequence: row, token: worst })} title={`token ${worst}`}>
      {text(table, row)}
    </a>
  );
}
