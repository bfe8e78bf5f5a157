import { useMemo } from "preact/hooks";
import { formatCounted, formatNumber, formatSigned } from "../../../../src/render/text/display/index.ts";
import { formatSequenceHandle } from "../../state/handles.ts";
import type { StepRange } from "../../state/step-range.ts";
import { makeHref, navigate } from "../../state/url.ts";
import type { Row } from "../../ui/export.ts";
import { TakeAway } from "../../ui/virtual-table/take-away.tsx";
import { type TableColumn, type TableSort, VirtualTable } from "../../ui/virtual-table/virtual-table.tsx";
import { COMPARED, compareFigure, formatPair, HOW_TITLES, orderedPairs, type Pairs } from "./pairs.ts";
import { hrefToA, hrefToB } from "./sequence-href.ts";

/** Pairs of sequences, those that differ most first. */
export function PairsPanel({
  all,
  sort,
  steps,
  chosen,
}: {
  readonly all: Pairs;
  readonly sort: TableSort;
  readonly steps: StepRange | null;
  /** Index of the chosen pair. */
  readonly chosen: number | undefined;
}) {
  const rows = useMemo(
    () => orderedPairs(all, sort, steps),
    [all, sort.key, sort.descending, steps?.[0], steps?.[1]],
  );
  return (
    <section aria-labelledby="compare-pairs">
      <div class="head">
        <h2 id="compare-pairs">Pairs of sequences</h2>
        <span class="muted" role="status">
          {formatCounted(rows.length, "pair")}
        </span>
        <TakeAway what="pairs" rows={() => Array.from(rows, (at) => exportRow(all, at))} />
      </div>
      <div class="pairs-table">
        <VirtualTable
          label="Pairs of sequences"
          noun="pair"
          columns={useMemo(() => buildColumns(all), [all])}
          count={rows.length}
          row={(place) => rows[place]!}
          rowClass={(at) => (at === chosen ? "is-chosen" : undefined)}
          sort={sort}
          onSort={(key) => {
            const descending = sort.key === key ? !sort.descending : key !== "sequence" && key !== "step";
            navigate({ params: { pairs: `${descending ? "-" : ""}${key}` } });
          }}
          onOpen={(at) => navigate({ params: { pair: formatPair(all.pairs, at), at: undefined } })}
        />
      </div>
    </section>
  );
}

function buildColumns(all: Pairs): TableColumn<number>[] {
  const { a, b, pairs } = all;
  const figures = COMPARED.flatMap(({ key, title, column }): TableColumn<number>[] => {
    const part = (name: string, run: "a" | "b"): TableColumn<number> => ({
      key: `${key} ${run}`,
      title: `${title} ${name}`,
      width: 108,
      align: "end",
      cell: (at) => formatNumber(compareFigure(all, at, column)[run]),
    });
    return [
      part("A", "a"),
      part("B", "b"),
      {
        key,
        title: `${title} B − A`,
        width: 132,
        align: "end",
        sortable: true,
        cell: (at) => <b>{formatSigned(compareFigure(all, at, column).difference)}</b>,
      },
    ];
  });
  return [
    {
      key: "sequence",
      title: "A",
      help: "the sequence of run A; opens its page",
      width: 128,
      sortable: true,
      cell: (at) => <a href={hrefToA(pairs.a[at]!)}>{formatSequenceHandle(a, pairs.a[at]!)}</a>,
    },
    {
      key: "partner",
      title: "B",
      help: "its partner in run B; opens its page",
      width: 128,
      cell: (at) => <a href={hrefToB(pairs.b[at]!)}>{formatSequenceHandle(b, pairs.b[at]!)}</a>,
    },
    {
      key: "beside",
      title: "both",
      help: "show both texts below",
      width: 72,
      cell: (at) => <a href={makeHref({ params: { pair: formatPair(pairs, at), at: undefined } })}>beside</a>,
    },
    { key: "how", title: "why", width: 118, cell: (at) => HOW_TITLES[pairs.how[at]!] },
    {
      key: "shared",
      title: "shared",
      help: "response tokens that both start with",
      width: 84,
      align: "end",
      sortable: true,
      cell: (at) => pairs.shared[at]!,
    },
    {
      key: "gap",
      title: "largest at a token",
      help: "largest |Δb − Δa| at a token that both share; opens it in A",
      width: 168,
      align: "end",
      sortable: true,
      cell: (at) =>
        pairs.gap_max[at] === null ? (
          formatNumber(null)
        ) : (
          <a href={hrefToA(pairs.a[at]!, pairs.gap_token[at])}>{formatNumber(pairs.gap_max[at])}</a>
        ),
    },
    ...figures,
  ];
}

function exportRow(all: Pairs, at: number): Row {
  const { a, b, pairs } = all;
  return {
    a: formatSequenceHandle(a, pairs.a[at]!),
    b: formatSequenceHandle(b, pairs.b[at]!),
    how: pairs.how[at]!,
    shared_tokens: pairs.shared[at]!,
    ...Object.fromEntries(
      COMPARED.flatMap(({ column }) => {
        const { a: first, b: second, difference } = compareFigure(all, at, column);
        return [
          [`${column}_a`, first],
          [`${column}_b`, second],
          [`${column}_difference`, difference],
        ];
      }),
    ),
    gap_mean: pairs.gap_mean[at]!,
    gap_max: pairs.gap_max[at]!,
    gap_token: pairs.gap_token[at]!,
  };
}
