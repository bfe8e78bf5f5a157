/**
 * The overview of a run's report, below the verdict.
 *
 * @module
 */
import { quoted } from "../../../analyses/filter/index.ts";
import {
  figureColumn,
  flatRows,
  makeTable,
  shownRows,
  type Table,
  textColumn,
} from "../../../render/document/index.ts";
import {
  allFiguresTable,
  baselineTable,
  correctnessTable,
  distributionTable,
  engineTable,
  environmentTable,
  finishReasonTable,
  gradientTable,
  type Picture,
  parityTables,
  positionTable,
  probabilityTable,
  rankTable,
  sectionPictures,
  sequenceFigureTable,
  sourceTable,
  spreadPictures,
  stalenessTable,
  stepTable,
  tailSideTable,
  tailTable,
  turnTable,
} from "../../../render/report/index.ts";
import type {
  MismatchReport,
  PageMove,
  PagePart,
  PagePicture,
  PageRow,
  PageTable,
  ReportPage,
  TopTokens,
} from "../../../results/index.ts";
import { pageTable } from "./page-table.ts";
import { verdictPart } from "./verdict-part.ts";
import { firstLooks, worstTables } from "./worst-tables.ts";

const MOST_STEPS = 1000;
const MOST_SOURCES = 200;

export function reportPage(report: MismatchReport, top: TopTokens): ReportPage {
  const { by_class: classes } = top;
  return {
    verdict: verdictPart(report),
    spread: spreadPictures(report).map((picture) => drawn(picture, [])),
    where: [
      ...groups(report).flatMap(({ table, items, least = 1, filter }) =>
        table.rows < least
          ? []
          : [
              {
                picture: drawPicture(report, table.id, items),
                table: pageTable(table, {
                  raw: flatRows(items),
                  ...(filter !== undefined && { links: firstCells(table).map(linkTo(filter)) }),
                }),
              },
            ],
      ),
      ...(classes.length === 0 ? [] : [{ picture: null, table: classTable(classes) }]),
    ],
    first: firstLooks(report, top),
    worst: worstTables(report, top),
    everything: everything(report),
  };
}

function drawn({ id, draw, rows }: Picture, raw: readonly PageRow[]): PagePicture {
  return { id, svg: draw(), raw: rows?.() ?? raw };
}

interface Group {
  readonly table: Table;
  readonly items: readonly object[];
  /** With fewer rows, there is no table. */
  readonly least?: number;
  /** The filter that leaves a group's sequences; undefined where none does. */
  readonly filter?: (name: string) => string | undefined;
}

function groups(report: MismatchReport): Group[] {
  return [
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
    { table: engineTable(report), items: report.per_engine, filter: (name) => `engine=${quoted(name)}` },
    {
      table: finishReasonTable(report),
      items: report.per_finish_reason,
      filter: (name) => `finish=${quoted(name)}`,
    },
    { table: stalenessTable(report), items: report.per_staleness },
    { table: rankTable(report), items: report.per_rank, least: 2, filter: (rank) => `rank:${rank}` },
    { table: positionTable(report), items: report.per_position_decile },
    { table: probabilityTable(report), items: report.per_rollout_probability },
  ];
}

function firstCells({ columns }: Table): readonly string[] {
  return columns[0]?.cells ?? [];
}

function linkTo(filter: (name: string) => string | undefined): (name: string) => PageMove | null {
  return (name) => {
    const picked = filter(name);
    return picked === undefined ? null : { view: "sequences", params: { filter: picked } };
  };
}

function drawPicture(report: MismatchReport, id: string, items: readonly object[]): PagePicture | null {
  const [picture] = sectionPictures(report, id);
  return picture === undefined ? null : drawn(picture, flatRows(items));
}

function classTable(groups: TopTokens["by_class"]): PageTable {
  type Figure = "tokens" | "share_of_k3" | "delta_abs_mean" | "delta_abs_max" | "delta_mean";
  const of = (name: Figure): number[] => groups.map((group) => group[name]);
  const labels = groups.map(({ label }) => label);
  const table = makeTable(
    "classes",
    "By class of token",
    [
      textColumn("class", labels),
      figureColumn("tokens", "count", of("tokens")),
      figureColumn("of Σ k3", "share", of("share_of_k3"), { bars: true, worst: "most" }),
      figureColumn("mean |Δ|", "number", of("delta_abs_mean"), { worst: "most" }),
      figureColumn("max |Δ|", "number", of("delta_abs_max"), { worst: "most" }),
      figureColumn("mean Δ", "signed", of("delta_mean")),
    ],
    "a class links to its worst token",
  );
  const links = groups.map(({ worst }): PageMove | null => worst && { view: "sequence", ...worst });
  return pageTable(table, { raw: flatRows(groups), links });
}

function everything(report: MismatchReport): PagePart[] {
  const steps = stepTable(report, MOST_STEPS);
  return [
    {
      title: "Every figure with its interval",
      tables: [
        pageTable(allFiguresTable(report), { raw: metricRows(report), priority: 4 }),
        pageTable(baselineTable(report), { raw: flatRows(report.verdict.readings) }),
        pageTable(sequenceFigureTable(report), { raw: flatRows([report.sequence_metrics]) }),
      ],
    },
    {
      title: "In the policy gradient",
      tables:
        report.gradient === null
          ? []
          : [pageTable(gradientTable(report), { raw: flatRows(report.gradient.per_step), priority: 4 })],
    },
    {
      title: `${report.per_step.length} steps`,
      tables:
        report.per_step.length < 2
          ? []
          : [
              pageTable(steps, {
                raw: flatRows(report.per_step),
                priority: 6,
                links: firstCells(steps).map((step) =>
                  /^\d+$/.test(step) ? { view: "sequences", params: { steps: `${step}..${step}` } } : null,
                ),
              }),
            ],
    },
    {
      title: "Quantiles and tails",
      tables: [
        pageTable(distributionTable(report), {
          raw: Object.entries(report.distributions).flatMap(([of, { quantiles, ...rest }]) =>
            flatRows([{ of, ...rest, ...quantiles }]),
          ),
        }),
        pageTable(tailTable(report), { raw: flatRows(report.tail_curve), priority: 4 }),
        pageTable(tailSideTable(report), {
          raw: Object.entries(report.tails).flatMap(([tail, figures]) => flatRows([{ tail, ...figures }])),
        }),
      ],
    },
    {
      title: "As logged by the trainers",
      tables: parityTables(report).map((table) => pageTable(table, { raw: shownRows(table), priority: 9 })),
    },
    {
      title: "What was read",
      tables: [pageTable(sourceTable(report, MOST_SOURCES), { raw: flatRows(report.sources), priority: 4 })],
    },
  ].filter(({ tables }) => tables.length > 0);
}

function metricRows({ metrics, intervals }: MismatchReport): PageTable["raw"] {
  return Object.entries(metrics).map(([figure, value]) => ({
    figure,
    value,
    low: intervals[figure]?.low ?? null,
    high: intervals[figure]?.high ?? null,
  }));
}
