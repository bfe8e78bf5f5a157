import { useMemo, useRef } from "preact/hooks";
import {
  formatCount,
  formatNumber,
  formatPlain,
  formatSigned,
} from "../../../../src/render/text/display/index.ts";
import type { RunInfo } from "../../../../src/results/view.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { wantBriefs } from "../../state/briefs.ts";
import { findGroupPlace } from "../../state/group-place.ts";
import { moveToHandle } from "../../state/handles.ts";
import { useKeys } from "../../state/keys.ts";
import { starred } from "../../state/stars.ts";
import { makeHref, navigate, route } from "../../state/url.ts";
import type { Row } from "../../ui/export.ts";
import { STAR } from "../../ui/star-button.tsx";
import { type TableColumn, VirtualTable } from "../../ui/virtual-table/virtual-table.tsx";
import { COLUMNS, columnNamed, figureWidth, HANDLE, isBriefColumn, rightness } from "./columns.ts";
import {
  GROUP_ORDERS,
  type GroupOrder,
  groupRows,
  readGroupedBy,
  type SequenceGroup,
  sortedGroups,
} from "./groups.ts";
import { BriefCell, followPeek, openSequence, tableColumn, togglePeek } from "./sequence-rows.tsx";

type GroupTableRow =
  | { readonly kind: "group"; readonly group: SequenceGroup; readonly open: boolean }
  | { readonly kind: "sequence"; readonly row: number };

/** One row per group; the sequences of an open group follow it. */
export function GroupRows({
  info,
  table,
  rows,
}: {
  readonly info: RunInfo;
  readonly table: SequenceTable;
  readonly rows: Uint32Array;
}) {
  const { params } = route.value;
  const { order, descending } = groupSort(params["group-sort"]);
  const open = new Set((params.open ?? "").split("|").filter(Boolean));
  const by = readGroupedBy(params["grouped-by"], info.has.groups);
  const groups = useMemo(() => groupRows(table, rows, by), [table, rows, by]);
  const sorted = useMemo(() => sortedGroups(groups, order, descending), [groups, order, descending]);
  const marked = useMemo(() => findStarred(table, groups), [table, groups, starred.value]);
  const shown = sorted.flatMap((group): GroupTableRow[] => {
    const own = open.has(group.key);
    const members = own ? group.rows.map((row): GroupTableRow => ({ kind: "sequence", row })) : [];
    return [{ kind: "group", group, open: own }, ...members];
  });
  const current = useRef<number>(undefined);
  useKeys({
    o: {
      describe: "open the page of the prompt group",
      run: () => {
        const place = current.current === undefined ? undefined : findGroupPlace(table, current.current);
        if (place !== undefined) navigate({ view: "group", sequence: place, token: undefined });
      },
    },
  });
  const toggle = (key: string): void => {
    const keys = open.has(key) ? [...open].filter((other) => other !== key) : [...open, key];
    navigate({ params: { open: keys.length === 0 ? undefined : keys.join("|") } }, { replace: true });
  };
  return (
    <VirtualTable
      label="Groups of sequences"
      noun="row"
      columns={groupColumns({ info, table, by, toggle, marked })}
      count={shown.length}
      row={(at) => shown[at]!}
      rowClass={({ kind }) => (kind === "sequence" ? "member" : "group")}
      sort={{ key: order, descending }}
      onSort={(key) => {
        const next = key === order ? !descending : key !== "group";
        navigate({ params: { "group-sort": `${next ? "-" : ""}${key as GroupOrder}` } });
      }}
      onPeek={(row) => togglePeek(firstRow(row))}
      onCurrent={(row) => {
        current.current = firstRow(row);
        followPeek(firstRow(row));
      }}
      onWindow={(first, end) => wantBriefs(info, shown.slice(first, end).map(firstRow))}
      onOpen={(row) => (row.kind === "group" ? toggle(row.group.key) : openSequence(row.row))}
    />
  );
}

/** The groups that contain a starred place. */
function findStarred(table: SequenceTable, groups: readonly SequenceGroup[]): ReadonlySet<SequenceGroup> {
  const rows = new Set([...starred.value].map((handle) => moveToHandle(table, handle)?.sequence));
  return new Set(groups.filter((group) => rows.size > 0 && group.rows.some((row) => rows.has(row))));
}

/** The sequence whose texts represent a row. */
function firstRow(row: GroupTableRow): number {
  return row.kind === "group" ? row.group.rows[0]! : row.row;
}

/** Chooses the column by which sequences are grouped. */
export function GroupedBySelect({ info }: { readonly info: RunInfo }) {
  return (
    <label class="grouped-by">
      by{" "}
      <select
        value={readGroupedBy(route.value.params["grouped-by"], info.has.groups)}
        onChange={({ currentTarget }) =>
          navigate({ params: { "grouped-by": currentTarget.value, open: undefined } }, { replace: true })
        }
      >
        {COLUMNS.filter(({ key }) => key !== HANDLE && key !== "ess" && !isBriefColumn(key)).map(
          ({ key, title }) => (
            <option key={key} value={key} disabled={key === "group" && !info.has.groups}>
              {key === "group" ? "prompt group" : title}
            </option>
          ),
        )}
      </select>
    </label>
  );
}

/** A row per group, in the order in which they are shown. */
export function exportGroups(
  info: RunInfo,
  table: SequenceTable,
  rows: Uint32Array,
  params: Readonly<Record<string, string>>,
): Row[] {
  const { order, descending } = groupSort(params["group-sort"]);
  const groups = groupRows(table, rows, readGroupedBy(params["grouped-by"], info.has.groups));
  return sortedGroups(groups, order, descending).map(exportRow);
}

function groupSort(given = "-worst"): { readonly order: GroupOrder; readonly descending: boolean } {
  return {
    order: GROUP_ORDERS.find((name) => name === given.replace(/^-/, "")) ?? "worst",
    descending: given.startsWith("-"),
  };
}

function exportRow({ name, hint, step, rows, tokens, right, ...figures }: SequenceGroup): Row {
  return {
    group: hint ?? name,
    step: Number.isNaN(step) ? null : step,
    sequences: rows.length,
    tokens,
    right,
    reward_mean: figures.rewardMean,
    reward_spread: figures.rewardSpread,
    delta_abs_mean: figures.deltaAbsMean,
    delta_abs_max: figures.deltaAbsMax,
  };
}

/** A column with a group's figure in the group's row and a sequence's figure in each row below. */
interface Figure {
  readonly key: string;
  readonly title: string;
  readonly help: string;
  readonly isSortable: boolean;
  readonly group: (group: SequenceGroup) => string;
  /** Absent if single sequences have no such figure. */
  readonly sequence?: (columns: SequenceTable["columns"], row: number) => string;
}

const FIGURES: readonly Figure[] = [
  {
    key: "reward",
    title: "reward",
    help: "mean reward",
    isSortable: true,
    group: ({ rewardMean }) => formatPlain(rewardMean),
    sequence: ({ reward }, row) => formatPlain(reward[row]),
  },
  {
    key: "spread",
    title: "spread",
    help: "standard deviation of the rewards: 0 teaches nothing",
    isSortable: true,
    group: ({ rewardSpread }) => formatPlain(rewardSpread),
  },
  {
    key: "right",
    title: "right",
    help: "right answers",
    isSortable: false,
    group: ({ right, rows }) => `${right} of ${rows.length}`,
    sequence: ({ correct }, row) => rightness(correct[row]!),
  },
  {
    key: "advantage",
    title: "advantage",
    help: "mean advantage of the sequence",
    isSortable: false,
    group: () => "",
    sequence: ({ advantage }, row) => formatSigned(advantage[row]!),
  },
  {
    key: "abs",
    title: columnNamed("abs")!.title,
    help: "over its tokens, nats",
    isSortable: true,
    group: ({ deltaAbsMean }) => formatNumber(deltaAbsMean),
    sequence: ({ delta_abs_mean }, row) => formatNumber(delta_abs_mean[row]),
  },
  {
    key: "n",
    title: "sequences",
    help: "sequences that the filter keeps",
    isSortable: true,
    group: ({ rows }) => formatCount(rows.length),
  },
  {
    key: "tokens",
    title: "tokens",
    help: "tokens with mask 1",
    isSortable: false,
    group: ({ tokens }) => formatCount(tokens),
    sequence: ({ tokens }, row) => formatCount(tokens[row]),
  },
];

interface GroupColumnsInput {
  readonly info: RunInfo;
  readonly table: SequenceTable;
  readonly by: string;
  readonly toggle: (key: string) => void;
  readonly marked: ReadonlySet<SequenceGroup>;
}

/** The question of a prompt group, the answer of a sequence. */
function textColumns({ info, by }: GroupColumnsInput): TableColumn<GroupTableRow>[] {
  const texts: TableColumn<GroupTableRow> = {
    key: "texts",
    title: by === "group" ? "Prompt, answers" : "Answer",
    help: "of a prompt group the question, of a sequence the end of its answer",
    width: 300,
    cell: (row) => {
      const of = row.kind === "sequence" ? "answer-text" : "prompt-text";
      const isShown = row.kind === "sequence" || by === "group";
      return isShown && <BriefCell of={of} row={firstRow(row)} info={info} />;
    },
  };
  const spark: TableColumn<GroupTableRow> = {
    key: "spark",
    title: "|Δ| along it",
    help: columnNamed("spark")!.help,
    width: 112,
    cell: (row) => row.kind === "sequence" && <BriefCell of="spark" row={row.row} info={info} />,
  };
  return [...(info.has.briefs ? [texts] : []), spark];
}

function groupColumns(input: GroupColumnsInput): TableColumn<GroupTableRow>[] {
  const { info, table, by, toggle, marked } = input;
  const handle = tableColumn(table, columnNamed("sequence")!);
  const worst = tableColumn(table, columnNamed("worst")!);
  return [
    {
      key: "group",
      title: by === "group" ? "Group" : columnNamed(by)!.title,
      help: by === "group" ? "step and prompt" : columnNamed(by)!.help,
      width: 226,
      sortable: true,
      cell: (row) =>
        row.kind === "sequence" ? (
          handle.cell(row.row)
        ) : (
          <>
            <Unfold group={row.group} open={row.open} toggle={toggle} />
            {marked.has(row.group) && STAR}
            {by === "group" && <PageLink table={table} row={row.group.rows[0]!} />}
          </>
        ),
    },
    ...textColumns(input),
    {
      key: "worst",
      title: columnNamed("worst")!.title,
      help: "its largest |Δ|, nats",
      width: 88,
      align: "end",
      sortable: true,
      cell: (row) => (row.kind === "group" ? formatNumber(row.group.deltaAbsMax) : worst.cell(row.row)),
    },
    ...FIGURES.filter(({ key }) => key !== "advantage" || info.has.advantages).map(
      ({ key, title, help, isSortable, group, sequence }): TableColumn<GroupTableRow> => ({
        ...{ key, title, help, width: figureWidth(title), align: "end", sortable: isSortable },
        cell: (row) => (row.kind === "group" ? group(row.group) : (sequence?.(table.columns, row.row) ?? "")),
      }),
    ),
  ];
}

/** A group's name as a button that shows or hides its sequences. */
function Unfold({
  group: { key, name, hint, step },
  open,
  toggle,
}: {
  readonly group: SequenceGroup;
  readonly open: boolean;
  readonly toggle: (key: string) => void;
}) {
  return (
    <button
      type="button"
      class="unfold"
      title={hint ?? name}
      aria-expanded={open}
      onClick={() => toggle(key)}
    >
      {open ? "▾" : "▸"} {Number.isNaN(step) ? "" : `step ${step} · `}
      {name}
    </button>
  );
}

function PageLink({ table, row }: { readonly table: SequenceTable; readonly row: number }) {
  const place = findGroupPlace(table, row);
  return (
    place !== undefined && (
      <a class="page-link" href={makeHref({ view: "group", sequence: place, token: undefined })}>
        samples
      </a>
    )
  );
}
