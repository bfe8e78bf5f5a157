import { useMemo } from "preact/hooks";
import { formatCount, formatNumber, formatPlain } from "../../../../src/render/text/display/index.ts";
import type { SequenceTable } from "../../../../src/results/wire/index.ts";
import { navigate, route } from "../../state/url.ts";
import type { Row } from "../../ui/export.ts";
import { type TableColumn, VirtualTable } from "../../ui/virtual-table/virtual-table.tsx";
import { columnNamed, rightness } from "./columns.ts";
import { GROUP_ORDERS, type GroupOrder, groupRows, type SequenceGroup, sortedGroups } from "./groups.ts";
import { openSequence, tableColumn } from "./sequence-rows.tsx";

type GroupTableRow =
  | { readonly kind: "group"; readonly group: SequenceGroup; readonly open: boolean }
  | { readonly kind: "sequence"; readonly row: number };

/** One row per GRPO group, and below an open one its sequences. */
export function GroupRows({ table, rows }: { readonly table: SequenceTable; readonly rows: Uint32Array }) {
  const { params } = route.value;
  const { order, descending } = groupSort(params["group-sort"]);
  const open = new Set((params.open ?? "").split("|").filter(Boolean));
  const groups = useMemo(() => groupRows(table, rows), [table, rows]);
  const sorted = useMemo(() => sortedGroups(groups, order, descending), [groups, order, descending]);
  const shown = sorted.flatMap((group): GroupTableRow[] => {
    const own = open.has(group.key);
    const members = own ? group.rows.map((row): GroupTableRow => ({ kind: "sequence", row })) : [];
    return [{ kind: "group", group, open: own }, ...members];
  });
  const toggle = (key: string): void => {
    const keys = open.has(key) ? [...open].filter((other) => other !== key) : [...open, key];
    navigate({ params: { open: keys.length === 0 ? undefined : keys.join("|") } }, { replace: true });
  };
  return (
    <VirtualTable
      label="Groups of sequences"
      noun="row"
      columns={groupColumns(table, toggle)}
      count={shown.length}
      row={(at) => shown[at]!}
      rowClass={({ kind }) => (kind === "sequence" ? "member" : "group")}
      sort={{ key: order, descending }}
      onSort={(key) => {
        const next = key === order ? !descending : key !== "group";
        navigate({ params: { "group-sort": `${next ? "-" : ""}${key as GroupOrder}` } });
      }}
      onOpen={(row) => (row.kind === "group" ? toggle(row.group.key) : openSequence(row.row))}
    />
  );
}

/** The groups as rows of their own, in the order in which they are shown. */
export function exportGroups(table: SequenceTable, rows: Uint32Array, given: string | undefined): Row[] {
  const { order, descending } = groupSort(given);
  return sortedGroups(groupRows(table, rows), order, descending).map(exportRow);
}

function groupSort(given = "-worst"): { readonly order: GroupOrder; readonly descending: boolean } {
  return {
    order: GROUP_ORDERS.find((name) => name === given.replace(/^-/, "")) ?? "worst",
    descending: given.startsWith("-"),
  };
}

function exportRow({ name, step, rows, tokens, right, ...figures }: SequenceGroup): Row {
  return {
    group: name,
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

/** A column with a figure of a group in its row, and of a sequence in the rows below it. */
interface Figure {
  readonly key: string;
  readonly title: string;
  readonly help: string;
  readonly isSortable: boolean;
  readonly group: (group: SequenceGroup) => string;
  /** Absent where a single sequence has no such figure. */
  readonly sequence?: (columns: SequenceTable["columns"], row: number) => string;
}

const FIGURES: readonly Figure[] = [
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
    key: "abs",
    title: "mean |Δ|",
    help: "over its tokens, nats",
    isSortable: true,
    group: ({ deltaAbsMean }) => formatNumber(deltaAbsMean),
    sequence: ({ delta_abs_mean }, row) => formatNumber(delta_abs_mean[row]),
  },
];
const FIGURE_WIDTH = 88;

function groupColumns(table: SequenceTable, toggle: (key: string) => void): TableColumn<GroupTableRow>[] {
  const handle = tableColumn(table, columnNamed("sequence")!);
  const worst = tableColumn(table, columnNamed("worst")!);
  return [
    {
      key: "group",
      title: "Group",
      help: "step and prompt",
      width: 270,
      sortable: true,
      cell: (row) =>
        row.kind === "sequence" ? (
          handle.cell(row.row)
        ) : (
          <Unfold group={row.group} open={row.open} toggle={toggle} />
        ),
    },
    ...FIGURES.map(
      ({ key, title, help, isSortable, group, sequence }): TableColumn<GroupTableRow> => ({
        ...{ key, title, help, width: FIGURE_WIDTH, align: "end", sortable: isSortable },
        cell: (row) => (row.kind === "group" ? group(row.group) : (sequence?.(table.columns, row.row) ?? "")),
      }),
    ),
    {
      key: "worst",
      title: "max |Δ|",
      help: "its largest |Δ|, nats",
      width: FIGURE_WIDTH,
      align: "end",
      sortable: true,
      cell: (row) => (row.kind === "group" ? formatNumber(row.group.deltaAbsMax) : worst.cell(row.row)),
    },
  ];
}

/** A group's name, which shows its sequences and puts them away. */
function Unfold({
  group: { key, name, step },
  open,
  toggle,
}: {
  readonly group: SequenceGroup;
  readonly open: boolean;
  readonly toggle: (key: string) => void;
}) {
  return (
    <button type="button" class="unfold" title={name} aria-expanded={open} onClick={() => toggle(key)}>
      {open ? "▾" : "▸"} {Number.isNaN(step) ? "" : `step ${step} · `}
      {name}
    </button>
  );
}
