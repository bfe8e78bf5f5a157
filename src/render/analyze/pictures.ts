/**
 * The pictures of an analysis: charts for pages, a row of characters each for terminals.
 *
 * @module
 */

import { formatId, formatNumber } from "../../core/text/index.ts";
import type { AnalyzeReport } from "../../results/analyze.ts";
import type { ChartSpec, ChartValues } from "../charts/chart-spec.ts";
import { lineChart } from "../charts/line-chart.ts";
import type { Picture } from "../document/document.ts";
import type { Surface } from "../document/surface.ts";
import { chooseScale, sparkline } from "../terminal/bars.ts";
import { pad } from "../terminal/columns.ts";
import { binChart } from "./bin-chart.ts";
import { foldIterations } from "./fold-iterations.ts";

const SIZE = { width: 480, height: 250 };
const LABEL = 13;
const MOST_PICTURE_COLUMNS = 40;
const LEAST_PICTURE_COLUMNS = 12;
/** Columns for what a picture shows: `0.869 to 0.895 over iterations 10 to 1000`. */
const CAPTION = 44;

export function analyzePictures(report: AnalyzeReport): Picture[] {
  const { divergence_bins: bins, positions, per_iteration: rows } = report;
  const known = rows.filter(({ iteration }) => iteration !== null);
  return [
    { kind: "picture", terminal: (surface) => drawPictures(report, surface) },
    ...[
      ...(bins === null ? [] : [correctnessChart(bins)]),
      ...(known.length > 1 ? iterationCharts(known).map((spec) => lineChart(spec, SIZE)) : []),
      ...(positions === null
        ? []
        : [
            binChart([{ label: "tokens", color: "blue", counts: positions.counts }], {
              title: "Positions of divergent tokens",
              xLabel: "position in the response",
              edges: positions.edges,
              whole: true,
            }),
          ]),
    ].map((svg): Picture => ({ kind: "picture", chart: "large", svg: () => svg })),
  ];
}

/** Distributions and evolution, a row each. */
function drawPictures(report: AnalyzeReport, surface: Surface): string[] {
  const { divergence_bins: bins, positions, per_iteration: iterations } = report;
  const lines: string[] = [];
  if (bins !== null && report.metrics.records > 1) {
    const ends = `${formatNumber(bins.edges[0])} to ${formatNumber(bins.edges.at(-1))}`;
    for (const name of ["correct", "incorrect", "unknown"] as const)
      if (bins[name].some((count) => count > 0))
        lines.push(picture(name, gaps(bins[name]), `tokens by divergence, ${ends}`, surface));
  }
  const known = iterations.filter(({ iteration }) => iteration !== null);
  if (known.length > 1) {
    const folded = foldIterations(known, pictureColumns(surface));
    const span = `over iterations ${formatId(known[0]!.iteration)} to ${formatId(known.at(-1)!.iteration)}`;
    for (const [label, key] of [
      ["mean", "mean"],
      ["  correct", "correct_mean"],
      ["  incorrect", "incorrect_mean"],
    ] as const) {
      const values = folded.map((row) => row[key] ?? Number.NaN);
      const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
      if (sorted.length === 0) continue;
      const range = `${formatNumber(sorted[0])} to ${formatNumber(sorted.at(-1))}`;
      lines.push(picture(label, values, `${range} ${span}`, surface));
    }
  }
  if (positions !== null && report.metrics.records > 1)
    lines.push(
      picture(
        "positions",
        gaps(positions.counts),
        `tokens at ${formatId(positions.edges[0])} to ${formatId(positions.edges.at(-1))}`,
        surface,
      ),
    );
  return lines;
}

function pictureColumns({ width }: Surface): number {
  return Math.min(MOST_PICTURE_COLUMNS, Math.max(LEAST_PICTURE_COLUMNS, width - LABEL - CAPTION));
}

/** Counts of 0 become gaps. */
function gaps(counts: readonly number[]): number[] {
  return counts.map((count) => (count > 0 ? count : Number.NaN));
}

function picture(label: string, values: readonly number[], what: string, surface: Surface): string {
  const columns = pictureColumns(surface);
  const scale = chooseScale(values);
  const drawn = pad(sparkline(values, columns, surface.unicode, scale), columns);
  return `${surface.style(pad(label, LABEL), "dim")}${surface.style(drawn, "blue")}  ${surface.style(surface.text(scale === "log" ? `log, ${what}` : what), "dim")}`;
}

function correctnessChart(bins: NonNullable<AnalyzeReport["divergence_bins"]>): string {
  return binChart(
    [
      { label: "correct", color: "blue", counts: bins.correct },
      { label: "incorrect", color: "orange", counts: bins.incorrect },
      { label: "unknown", color: "grey", counts: bins.unknown },
    ],
    {
      title: "Divergence by correctness of the answer",
      xLabel: "|Δp|",
      edges: bins.edges,
      shares: true,
    },
  );
}

type IterationRow = AnalyzeReport["per_iteration"][number];

function iterationCharts(rows: readonly IterationRow[]): ChartSpec[] {
  const take = (pick: (row: IterationRow) => number | null): ChartValues => rows.map(pick);
  const common = {
    xLabel: "iteration",
    xs: rows.map(({ iteration }) => iteration!),
    scale: "linear",
    kind: "number",
    fromZero: true,
    extreme: "most",
  } as const;
  const hasCorrectness = rows.some(
    ({ correct_count, incorrect_count }) => correct_count + incorrect_count > 0,
  );
  return [
    {
      id: "mean-by-iteration",
      title: `Mean divergence over iterations${hasCorrectness ? ", by correctness" : ""}`,
      unit: "|Δp|",
      ...common,
      lines: hasCorrectness
        ? [
            { label: "correct", color: "blue", values: take((row) => row.correct_mean) },
            { label: "incorrect", color: "orange", values: take((row) => row.incorrect_mean) },
          ]
        : [{ label: "mean", color: "blue", values: take((row) => row.mean) }],
    },
    {
      id: "logged-by-iteration",
      title: "Logged tokens over iterations",
      unit: "tokens",
      ...common,
      kind: "count",
      lines: [
        { label: "all", color: "grey", values: take((row) => row.count) },
        ...(hasCorrectness
          ? [{ label: "correct", color: "blue", values: take((row) => row.correct_count) } as const]
          : []),
      ],
    },
  ];
}
