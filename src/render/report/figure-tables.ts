import { type FigureKind, formatFigure } from "../../core/text/index.ts";
import { RUN_METRICS, runMetric } from "../../results/metrics/run-metrics.ts";
import type { Distribution, MismatchReport } from "../../results/report.ts";
import { makeTable, type Table, textColumn } from "../document/table.ts";
import { keyFigure, noInterval } from "./key-figures.ts";

/** Every pooled figure with its interval and its meaning. */
export function allFiguresTable(report: MismatchReport): Table {
  // The first lines of every report already say how much was read.
  const keys = Object.keys(RUN_METRICS).filter((key) => runMetric(key).kind !== "count");
  const figures = keys.map((key) => keyFigure(report, key));
  return makeTable(
    "figures",
    "All figures",
    [
      textColumn(
        "figure",
        figures.map((figure) => figure.label),
      ),
      textColumn(
        "value",
        figures.map((figure) => figure.value),
        { align: "right" },
      ),
      textColumn(
        "95 % low",
        figures.map((figure) => figure.interval?.low ?? ""),
        { align: "right", priority: 2 },
      ),
      textColumn(
        "95 % high",
        figures.map((figure) => figure.interval?.high ?? ""),
        { align: "right", priority: 2 },
      ),
      ...(figures.some(({ reason }) => reason !== undefined)
        ? [textColumn("no interval", figures.map(noInterval), { priority: 3, wrap: true })]
        : []),
      textColumn(
        "what it is",
        figures.map((figure) => figure.meaning),
        { priority: 3, wrap: true },
      ),
      textColumn("in --json", keys, { priority: 4 }),
    ],
    "pooled over all masked tokens; 95 % intervals over prompts, or over sequences where prompts are unknown",
  );
}

/** The published figures that the verdict rests on, in the sources' own numbers. */
export function baselineTable(report: MismatchReport): Table {
  const readings = report.verdict.readings;
  return makeTable("baselines", "Published baselines", [
    textColumn(
      "figure",
      readings.map((reading) => runMetric(reading.metric).label),
    ),
    textColumn(
      "value",
      readings.map((reading) => formatFigure(reading.value, runMetric(reading.metric).kind)),
      { align: "right" },
    ),
    textColumn(
      "reading",
      readings.map(({ level, level_range: [mildest, severest], caution }) => {
        if (caution !== undefined) return "unreliable";
        return mildest === severest ? level : `${mildest}, may be ${severest}`;
      }),
      { levels: readings.map((reading) => reading.level) },
    ),
    textColumn(
      "what the source says",
      readings.map(
        ({ band, source, caution }) => `${caution === undefined ? "" : `${caution}; `}${band} (${source})`,
      ),
      { wrap: true },
    ),
  ]);
}

const QUANTILES = ["p1", "p5", "p25", "p50", "p75", "p95", "p99", "p99.9"];

/** Quantiles as rows, one column for each quantity. */
export function distributionTable(report: MismatchReport): Table {
  const { delta, delta_abs, prob_diff_abs, ratio } = report.distributions;
  const column = (header: string, kind: FigureKind, distribution: Distribution, priority: number) =>
    textColumn(header, distributionCells(distribution, kind), { align: "right", priority });
  return makeTable("distributions", "Distributions", [
    textColumn("", ["mean", "std", "min", ...QUANTILES, "max"]),
    column("Δ", "signed", delta, 1),
    column("|Δ|", "number", delta_abs, 1),
    column("|Δp|", "number", prob_diff_abs, 2),
    column("ρ = exp Δ", "near-one", ratio, 2),
  ]);
}

function distributionCells(distribution: Distribution, kind: FigureKind): string[] {
  const { mean, std, min, max, quantiles } = distribution;
  const spread = formatFigure(std, "number");
  const values = [mean, min, ...QUANTILES.map((name) => quantiles[name]), max];
  const [first = "", ...rest] = values.map((value) => formatFigure(value, kind));
  return [first, spread, ...rest];
}
