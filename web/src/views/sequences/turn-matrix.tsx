import { useRef } from "preact/hooks";
import { formatCount, formatCounted, formatNumber } from "../../../../src/render/text/display/index.ts";
import { RUN_METRICS } from "../../../../src/results/metrics/run-metrics.ts";
import type { RunInfo } from "../../../../src/results/view.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { listTurns, type TurnTable } from "../../../../src/results/wire/turns.ts";
import { turns as turnsOfRun } from "../../state/loaded.ts";
import { makeHref, navigate, route } from "../../state/url.ts";
import { Choice } from "../../ui/choice.tsx";
import { MEAN_NATS, NATS, type Scale, shadeClass } from "../../ui/color-scale.ts";
import { elementSvg } from "../../ui/element-svg.ts";
import type { Row } from "../../ui/export.ts";
import { ExportMenu } from "../../ui/export-menu.tsx";
import { deltaScale, Legend } from "../../ui/legend.tsx";
import { type TableColumn, VirtualTable } from "../../ui/virtual-table/virtual-table.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import { columnNamed } from "./columns.ts";
import { openSequence, tableColumn } from "./sequence-rows.tsx";

/** The most columns: wider tables scroll slowly. */
const MOST_TURNS = 64;

const MEASURES = ["mean", "max"] as const;
type CellMeasure = (typeof MEASURES)[number];

interface MatrixProps {
  readonly table: SequenceTable;
  readonly rows: Uint32Array;
  /** The largest number of turns in a sequence. */
  readonly turns: number;
  readonly info: RunInfo;
}

/** A row per sequence and a column per turn; each cell is a turn's |Δ|. */
export function TurnMatrix(props: MatrixProps) {
  return <WhenLoaded of={turnsOfRun()}>{(figures) => <Matrix {...props} figures={figures} />}</WhenLoaded>;
}

function Matrix({ table, rows, turns, info, figures }: MatrixProps & { readonly figures: TurnTable }) {
  const measure: CellMeasure = MEASURES.find((name) => name === route.value.params.cell) ?? "max";
  const box = useRef<HTMLDivElement>(null);
  const scale = deltaScale(info.scales, measure === "max" ? NATS : MEAN_NATS);
  const columns: TableColumn<number>[] = [
    tableColumn(table, columnNamed("sequence")!),
    ...Array.from(
      { length: Math.min(turns, MOST_TURNS) },
      (_, at): TableColumn<number> => turnColumn(figures, at, measure, scale),
    ),
  ];
  return (
    <div class="turn-matrix scaled" ref={box}>
      <div class="matrix-head">
        <Choice
          label="Cell"
          name="cell"
          value={measure}
          options={[
            { name: "max", title: RUN_METRICS.delta_abs_max.label },
            { name: "mean", title: RUN_METRICS.delta_abs_mean.label },
          ]}
          onChange={(cell) => navigate({ params: { cell: cell === "max" ? undefined : cell } })}
        />
        <Legend scale={scale} signed={false} />
        <ExportMenu
          name="sequences-by-turns"
          svg={() =>
            elementSvg(
              `Sequences by turns, ${measure} |Δ|`,
              [box.current],
              `${measure} |Δ|, nats. ${rowsInSight(box.current, rows.length)}`,
            )
          }
          rows={() => Array.from(rows).flatMap((row) => turnRows(table, figures, row))}
        />
        {turns > MOST_TURNS && (
          <p>
            the first {MOST_TURNS} of up to {formatCount(turns)} turns; an exported table has all of them
          </p>
        )}
      </div>
      <VirtualTable
        label="Sequences by turns"
        noun="sequence"
        columns={columns}
        count={rows.length}
        row={(at) => rows[at]!}
        onOpen={openSequence}
      />
    </div>
  );
}

/** An exported picture contains only the rows in sight, and this note says so. */
function rowsInSight(root: HTMLElement | null, count: number): string {
  const box = root?.querySelector(".virtual-table")?.getBoundingClientRect();
  const head = root?.querySelector("thead")?.getBoundingClientRect();
  const places = [...(root?.querySelectorAll<HTMLElement>("tbody [aria-rowindex]") ?? [])]
    .filter((row) => {
      const { top, height } = row.getBoundingClientRect();
      const middle = top + height / 2;
      return middle > (head?.bottom ?? 0) && middle < (box?.bottom ?? 0);
    })
    // The head is the first row.
    .map((row) => Number(row.ariaRowIndex) - 1);
  return `Rows ${formatCount(Math.min(...places))} to ${formatCount(Math.max(...places))} of ${formatCounted(count, "sequence")}`;
}

function turnRows(table: SequenceTable, figures: TurnTable, row: number): Row[] {
  const sequence = columnNamed("sequence")!.value(table, row) ?? null;
  return listTurns(figures, row).map(({ turn, tokens, deltaAbsMean, deltaAbsMax, worst }) => ({
    sequence,
    turn,
    tokens,
    delta_abs_mean: deltaAbsMean,
    delta_abs_max: deltaAbsMax,
    worst_token: worst,
  }));
}

function turnColumn(table: TurnTable, turn: number, measure: CellMeasure, scale: Scale): TableColumn<number> {
  const own = (row: number) => listTurns(table, row).find((each) => each.turn === turn);
  const value = (row: number): number | undefined =>
    own(row)?.[measure === "max" ? "deltaAbsMax" : "deltaAbsMean"];
  return {
    key: String(turn),
    title: `turn ${turn}`,
    width: 84,
    align: "end",
    cell: (row) => {
      const figures = own(row);
      return (
        figures && (
          <a
            href={makeHref({ view: "sequence", sequence: row, token: figures.worst })}
            title={`${formatCounted(figures.tokens, "token")}, worst at token ${figures.worst}`}
          >
            {formatNumber(value(row))}
          </a>
        )
      );
    },
    cellClass: (row) => {
      const shown = value(row);
      return shown === undefined ? undefined : `cell ${shadeClass(shown, scale)}`;
    },
  };
}
