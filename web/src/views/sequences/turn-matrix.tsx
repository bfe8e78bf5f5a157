import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatNumber } from "../../../../src/report/display.ts";
import type { SequenceTable } from "../../../../src/wire/index.ts";
import { hrefOf, navigate, route } from "../../state/url.ts";
import { Choice } from "../../ui/choice.tsx";
import { shadeClass } from "../../ui/colour-scale.ts";
import { elementSvg } from "../../ui/element-svg.ts";
import type { Row } from "../../ui/export.ts";
import { ExportMenu } from "../../ui/export-menu.tsx";
import { Legend } from "../../ui/legend.tsx";
import { type TableColumn, VirtualTable } from "../../ui/virtual-table/virtual-table.tsx";
import { columnNamed } from "./columns.ts";
import { openSequence, tableColumn } from "./sequence-rows.tsx";
import { turnsOf, turnsRead, wantTurns } from "./turn-reader.ts";

/** Response and prompt tokens that one screen of rows may cost. */
const MOST_TOKENS = 2_000_000;
/** Columns: a table cannot be wider and smooth. */
const MOST_TURNS = 64;
/** Scrolling has stopped when it has not moved for this long. */
const RESTS_MS = 120;

const MEASURES = ["mean", "max"] as const;
type CellMeasure = (typeof MEASURES)[number];

/** Sequences by turns, each cell a turn's |Δ|. */
export function TurnMatrix({
  table,
  rows,
  turns,
  domain,
}: {
  readonly table: SequenceTable;
  readonly rows: Uint32Array;
  /** The most that a sequence has. */
  readonly turns: number;
  /** Nats: the end of the run's colour scale. */
  readonly domain: number;
}) {
  const measure: CellMeasure = MEASURES.find((name) => name === route.value.params.cell) ?? "max";
  const [span, setSpan] = useState<readonly [number, number]>([0, 0]);
  const box = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onWindow = useCallback((first: number, end: number): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setSpan([first, end]), RESTS_MS);
  }, []);
  const inSight = affordable(table, rows.subarray(span[0], span[1]));
  useEffect(() => {
    wantTurns(inSight.read);
    return () => wantTurns([]);
  }, [rows, span[0], span[1]]);
  // Read so that every answer draws the table again.
  turnsRead.value;
  const there = inSight.read.filter((row) => turnsOf(row) !== undefined).length;

  const columns: TableColumn<number>[] = [
    tableColumn(table, columnNamed("sequence")!),
    ...Array.from(
      { length: Math.min(turns, MOST_TURNS) },
      (_, at): TableColumn<number> => turnColumn(table, at + 1, measure, domain),
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
            { name: "max", title: "max |Δ|" },
            { name: "mean", title: "mean |Δ|" },
          ]}
          onChange={(cell) => navigate({ params: { cell: cell === "max" ? undefined : cell } })}
        />
        <Legend domain={domain} signed={false} />
        <ExportMenu
          name="sequences-by-turns"
          svg={() => elementSvg(`Sequences by turns, ${measure} |Δ|`, box.current)}
          rows={() => inSight.read.flatMap((row) => turnRows(table, row))}
        />
        <p role="status">
          {there < inSight.read.length
            ? `reading turns: ${there} of the ${inSight.read.length} sequences in sight`
            : `turns of the ${formatCount(there)} sequences in sight`}
          {turns > MOST_TURNS && `; the first ${MOST_TURNS} of up to ${turns}`}
          {inSight.left > 0 &&
            `; ${inSight.left} are not read: with them the screen would cost over ${formatCount(MOST_TOKENS)} tokens`}
        </p>
      </div>
      <VirtualTable
        label="Sequences by turns"
        noun="sequence"
        columns={columns}
        count={rows.length}
        row={(at) => rows[at]!}
        onOpen={openSequence}
        onWindow={onWindow}
      />
    </div>
  );
}

/** What is known of a sequence's turns. */
function turnRows(table: SequenceTable, row: number): Row[] {
  const figures = turnsOf(row);
  if (figures === undefined || "failed" in figures) return [];
  const sequence = columnNamed("sequence")!.value(table, row) ?? null;
  return figures.map(({ turn, tokens, deltaAbsMean, deltaAbsMax, worst }) => ({
    sequence,
    turn,
    tokens,
    delta_abs_mean: deltaAbsMean,
    delta_abs_max: deltaAbsMax,
    worst_token: worst,
  }));
}

function turnColumn(
  table: SequenceTable,
  turn: number,
  measure: CellMeasure,
  domain: number,
): TableColumn<number> {
  const own = (row: number) => {
    const figures = turnsOf(row);
    return figures !== undefined && !("failed" in figures)
      ? figures.find((each) => each.turn === turn)
      : undefined;
  };
  const value = (row: number): number | undefined => {
    const figures = own(row);
    return measure === "max" ? figures?.deltaAbsMax : figures?.deltaAbsMean;
  };
  return {
    key: String(turn),
    title: `turn ${turn}`,
    width: 84,
    align: "end",
    cell: (row) => {
      const figures = own(row);
      if (figures !== undefined)
        return (
          <a
            href={hrefOf({ view: "sequence", sequence: row, token: figures.worst })}
            title={`${formatCount(figures.tokens)} tokens, worst at token ${figures.worst}`}
          >
            {formatNumber(value(row))}
          </a>
        );
      const asked = turnsOf(row);
      if (asked !== undefined && "failed" in asked) return turn === 1 ? asked.failed : "";
      return asked === undefined && turn <= table.columns.turns[row]! ? "…" : "";
    },
    cellClass: (row) => {
      const shown = value(row);
      return shown === undefined ? undefined : `cell ${shadeClass(shown, domain)}`;
    },
  };
}

function affordable(
  table: SequenceTable,
  rows: Uint32Array,
): { readonly read: number[]; readonly left: number } {
  const { prompt_tokens, response_tokens } = table.columns;
  let cost = 0;
  const read = [...rows].filter((row) => {
    cost += (prompt_tokens[row]! || 0) + (response_tokens[row]! || 0);
    return cost <= MOST_TOKENS;
  });
  return { read, left: rows.length - read.length };
}
