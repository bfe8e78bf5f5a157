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

function groupColumns(table: SequenceTable, toggle: (key: string) => void): TableColumn<GroupTableRow>[] {
  const handle = tableColumn(table, columnNamed("sequence")!);
  const worst = tableColumn(table, columnNamed("worst")!);
  const figure = (
    key: string,
    title: string,
    help: string,
    group: (group: SequenceGroup) => string,
    sequence: (row: number) => string,
    sortable = true,
  ): TableColumn<GroupTableRow> => ({
    key,
    title,
    help,
    width: 88,
    align: "end",
    sortable,
    cell: (row) => (row.kind === "group" ? group(row.group) : sequence(row.row)),
  });
  const { columns } = table;
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
          <button
            type="button"
            class="unfold"
            title={row.group.name}
            aria-expanded={row.open}
            onClick={() => toggle(row.group.key)}
          >
            {row.open ? "▾" : "▸"} {Number.isNaN(row.group.step) ? "" : `step ${row.group.step} · `}
            {row.group.name}
          </button>
        ),
    },
    figure(
      "n",
      "sequences",
      "sequences that the filter keeps",
      ({ rows }) => formatCount(rows.length),
      () => "",
    ),
    figure(
      "tokens",
      "tokens",
      "tokens with mask 1",
      ({ tokens }) => formatCount(tokens),
      (row) => formatCount(columns.tokens[row]),
      false,
    ),
    figure(
      "reward",
      "reward",
      "mean reward",
      ({ rewardMean }) => formatPlain(rewardMean),
      (row) => formatPlain(columns.reward[row]),
    ),
    figure(
      "spread",
      "spread",
      "standard deviation of the rewards: 0 teaches nothing",
      ({ rewardSpread }) => formatPlain(rewardSpread),
      () => "",
    ),
    figure(
      "right",
      "right",
      "right answers",
      ({ right, rows }) => `${right} of ${rows.length}`,
      (row) => rightness(columns.correct[row]!),
      false,
    ),
    figure(
      "abs",
      "mean |Δ|",
      "over its tokens, nats",
      ({ deltaAbsMean }) => formatNumber(deltaAbsMean),
      (row) => formatNumber(columns.delta_abs_mean[row]),
    ),
    {
      ...figure(
        "worst",
        "max |Δ|",
        "its largest |Δ|, nats",
        ({ deltaAbsMax }) => formatNumber(deltaAbsMax),
        () => "",
      ),
      cell: (row) => (row.kind === "group" ? formatNumber(row.group.deltaAbsMax) : worst.cell(row.row)),
    },
  ];
}
