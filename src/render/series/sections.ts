import { formatCount, formatNumber } from "../../core/text/index.ts";
import type { SeriesFigures, SeriesPoint, SeriesReport } from "../../results/series.ts";
import { lineChart } from "../charts/line-chart.ts";
import type { Block, Picture, Section } from "../document/document.ts";
import type { Surface } from "../document/surface.ts";
import { makeTable, type Table, textColumn } from "../document/table.ts";
import { chooseScale, sparkline } from "../terminal/bars.ts";
import { pad } from "../terminal/columns.ts";
import { foldName } from "../terminal/wrap.ts";
import { printable } from "../text/printable.ts";
import { toChart } from "./chart.ts";

const LABEL = 44;

/** The table of all metrics, their charts, and, in a report on dumps, the differences. */
export function loggedSections(report: SeriesReport): Section[] {
  const { series } = report;
  if (series.length === 0) return [];
  const charts = series.filter(({ steps }) => steps.length > 1);
  return [
    { id: "logged", title: "Logged metrics", blocks: [{ kind: "table", table: seriesTable(series) }] },
    { id: "beside-dumps", title: "Beside the dumps", blocks: comparisonBlocks(series) },
    {
      id: "courses",
      title: charts.length === 0 ? "" : "Over the steps, as logged",
      blocks: charts.length === 0 ? [] : [sparklines(charts), ...charts.map(drawChart)],
    },
    { id: "quirks", title: "How to read them", blocks: [{ kind: "facts", rows: quirkRows(series) }] },
  ];
}

/** A metric's name, with its run if several were logged. */
function nameSeries({ metric, run }: SeriesFigures): string {
  return printable(run === "" ? metric : `${metric} (${run})`);
}

function seriesTable(series: readonly SeriesFigures[]): Table {
  const point = (value: SeriesPoint | null): string => (value === null ? "n/a" : formatNumber(value.value));
  const end = (value: SeriesPoint | null): string => (value === null ? "not finite" : point(value));
  const nonFinite = series.filter((each) => each.non_finite > 0);
  const counted = nonFinite
    .map((each) => `${formatCount(each.non_finite)} of ${nameSeries(each)}`)
    .join(", ");
  const note = nonFinite.length === 0 ? undefined : `NaN or infinite: ${counted}`;
  const right = { align: "right" } as const;
  return makeTable(
    "logged",
    "Logged metrics",
    [
      textColumn("metric", series.map(nameSeries)),
      textColumn(
        "trainer",
        series.map(({ trainer }) => trainer),
        { priority: 4 },
      ),
      textColumn(
        "first",
        series.map(({ first }) => end(first)),
        // Dropped before a long metric name would be folded; its course is drawn below.
        { ...right, priority: 4 },
      ),
      textColumn(
        "last",
        series.map(({ last }) => end(last)),
        { ...right, priority: 2 },
      ),
      textColumn(
        "worst",
        series.map(({ worst }) => point(worst)),
        right,
      ),
      textColumn(
        "at step",
        series.map(({ worst }) => (worst === null ? "" : formatCount(worst.step))),
        { ...right, priority: 2 },
      ),
      textColumn(
        "reading",
        series.map(({ level }) => level ?? ""),
        { levels: series.map(({ level }) => level ?? "none") },
      ),
      textColumn(
        "published baseline",
        series.map(({ band }) => band ?? ""),
        { priority: 3, wrap: true },
      ),
    ],
    note,
  );
}

function comparisonBlocks(series: readonly SeriesFigures[]): Block[] {
  const compared = series.flatMap((each) =>
    each.comparison === null ? [] : [{ ...each, comparison: each.comparison }],
  );
  if (compared.length === 0) return [];
  const table = makeTable("beside-dumps", "Beside the dumps", [
    textColumn("metric", compared.map(nameSeries)),
    textColumn(
      "what it is",
      compared.map(({ meaning }) => meaning),
      { priority: 3 },
    ),
    textColumn(
      "steps",
      compared.map(({ comparison }) => formatCount(comparison.steps)),
      { align: "right", priority: 2 },
    ),
    textColumn(
      "logged, and what the dump gives",
      compared.map(({ comparison }) => comparison.text),
      { wrap: true },
    ),
  ]);
  return [{ kind: "table", table }];
}

/** A row of characters for each, under its name if that does not fit beside it; a logarithmic scale is labeled. */
function sparklines(series: readonly SeriesFigures[]): Picture {
  const draw = (surface: Surface): string[] =>
    series.flatMap((each) => {
      const names = foldName(surface.text(nameSeries(each)), LABEL - 2);
      const values = each.values.map((value) => (value === null ? Number.NaN : Math.abs(value)));
      const scale = chooseScale(values);
      const note = scale === "log" ? "  log" : "";
      const columns = Math.max(8, surface.width - LABEL - note.length);
      const drawn = sparkline(values, columns, surface.unicode, scale) + surface.style(note, "dim");
      const last = names.pop() ?? "";
      return [
        ...names.map((name) => surface.style(name, "dim")),
        surface.style(pad(last, LABEL), "dim") + drawn,
      ];
    });
  return { kind: "picture", terminal: draw };
}

function drawChart(series: SeriesFigures, at: number): Picture {
  return {
    kind: "picture",
    id: `logged-${at}`,
    chart: "small",
    svg: () => lineChart(toChart(series, `logged-${at}`, nameSeries(series)), { height: 240 }),
  };
}

/** Each meaning once. */
function quirkRows(series: readonly SeriesFigures[]): (readonly [string, string])[] {
  const rows = new Map<string, string>();
  for (const { metric, meaning, quirk, trainer } of series) {
    if (!rows.has(metric)) rows.set(metric, `${meaning} (${trainer})${quirk === null ? "" : `: ${quirk}`}`);
  }
  return [...rows].map(([metric, text]) => [printable(metric), text]);
}
