import type { MismatchReport } from "../../../../src/protocol/report.ts";
import type { TopTokens } from "../../../../src/protocol/view.ts";
import {
  correctnessTable,
  environmentTable,
  rankTable,
  turnTable,
} from "../../../../src/report/content/group-tables.ts";
import { figureColumn, makeTable, type Table, textColumn } from "../../../../src/report/content/table.ts";
import { positionTable, probabilityTable } from "../../../../src/report/content/token-tables.ts";
import { sectionPictures } from "../../../../src/report/html/pictures.ts";
import { quoted } from "../../filter/index.ts";
import { topTokens } from "../../state/loaded.ts";
import { hrefOf } from "../../state/url.ts";
import { ChartPicture } from "../../ui/chart-picture.tsx";
import { flatRows } from "../../ui/export.ts";
import { ReportTable } from "../../ui/report-table.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";

interface Part {
  readonly table: Table;
  readonly items: readonly object[];
  /** Fewer rows say nothing. */
  readonly least?: number;
  /** The filter that leaves a group's sequences; undefined where none does. */
  readonly filter?: (name: string) => string | undefined;
}

/** Where the mismatch is: by turn, correctness, rank, environment, position, probability, class. */
export function Where({ report }: { readonly report: MismatchReport }) {
  const parts: readonly Part[] = [
    { table: turnTable(report), items: report.per_turn, least: 2 },
    {
      table: correctnessTable(report),
      items: report.per_correctness,
      filter: (name) => ({ correct: "correct:yes", incorrect: "correct:no" })[name],
    },
    {
      table: environmentTable(report),
      items: report.per_environment,
      filter: (name) => `env=${quoted(name)}`,
    },
    { table: rankTable(report), items: report.per_rank, least: 2, filter: (rank) => `rank:${rank}` },
    { table: positionTable(report), items: report.per_position_decile },
    { table: probabilityTable(report), items: report.per_rollout_probability },
  ];
  return (
    <section class="where" aria-label="Where it is">
      <h2>Where it is</h2>
      <div class="parts">
        {parts
          .filter(({ table, least = 1 }) => table.rows >= least)
          .map(({ table, items, filter }) => (
            <div class="part" key={table.id}>
              {sectionPictures(report, table.id).map((svg) => (
                <ChartPicture
                  key={table.id}
                  name={`${table.id}-shares`}
                  svg={() => svg}
                  rows={() => flatRows(items)}
                />
              ))}
              <ReportTable
                table={table}
                rows={() => flatRows(items)}
                link={(_, name) => {
                  const picked = filter?.(name);
                  if (picked === undefined) return name;
                  const move = { view: "sequences", token: undefined, params: { filter: picked } } as const;
                  return <a href={hrefOf(move)}>{name}</a>;
                }}
              />
            </div>
          ))}
        <WhenLoaded of={topTokens()}>
          {(top) =>
            top.by_class.length > 0 && (
              <div class="part">
                <ReportTable
                  table={classTable(top.by_class)}
                  rows={() => flatRows(top.by_class)}
                  link={(row, text) => {
                    const worst = top.by_class[row]?.worst;
                    return worst == null ? text : <a href={hrefOf({ view: "sequence", ...worst })}>{text}</a>;
                  }}
                />
              </div>
            )
          }
        </WhenLoaded>
      </div>
    </section>
  );
}

function classTable(groups: TopTokens["by_class"]): Table {
  const numbers = (take: (group: TopTokens["by_class"][number]) => number): number[] => groups.map(take);
  return makeTable(
    "classes",
    "By class of token",
    [
      textColumn(
        "class",
        groups.map(({ label }) => label),
      ),
      figureColumn(
        "tokens",
        "count",
        numbers(({ tokens }) => tokens),
      ),
      figureColumn(
        "of Σ k3",
        "share",
        numbers(({ share_of_k3 }) => share_of_k3),
        { bars: true, worst: "most" },
      ),
      figureColumn(
        "mean |Δ|",
        "number",
        numbers(({ delta_abs_mean }) => delta_abs_mean),
        { worst: "most" },
      ),
      figureColumn(
        "max |Δ|",
        "number",
        numbers(({ delta_abs_max }) => delta_abs_max),
        { worst: "most" },
      ),
      figureColumn(
        "mean Δ",
        "signed",
        numbers(({ delta_mean }) => delta_mean),
      ),
    ],
    "a class leads to its worst token",
  );
}
