/**
 * The charts over steps, and the figures that each shows.
 *
 * @module
 */
import {
  metricsAt,
  RUN_METRICS,
  runMetric,
  STEP_METRICS,
  type StepMetric,
} from "../../results/metrics/run-metrics.ts";
import type { StepMetrics } from "../../results/report.ts";
import type { StepSeries } from "../../results/view.ts";
import { type FigureKind, isFigure } from "../text/display/index.ts";
import { MOST_COLORED, sliceLook } from "./chart-colors.ts";
import type { ChartLine, ChartSpec, ChartValues } from "./chart-spec.ts";

export const SCALES = ["auto", "linear", "log"] as const;
/** `auto`: logarithmic if lines are decades apart. */
export type ScaleChoice = (typeof SCALES)[number];

const SLICES = ["correct", "rank", "environment", "weight_version"] as const;
export type SliceBy = (typeof SLICES)[number];

interface LineKind {
  readonly metric: StepMetric;
  readonly label: string;
  readonly color: ChartLine["color"];
  readonly dash?: readonly number[];
}

interface ChartKind {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly kind: FigureKind;
  readonly lines: readonly LineKind[];
  readonly band?: { readonly low: StepMetric; readonly high: StepMetric; readonly label: string };
  readonly isLog?: boolean;
  /** Whether values may be 0 or below, which a logarithmic axis cannot show. */
  readonly isLinear?: boolean;
}

/** Charts that draw several figures. */
const TOGETHER: readonly ChartKind[] = [
  {
    id: "abs-delta",
    title: "|Δ| of tokens",
    unit: "nats",
    kind: "number",
    isLog: true,
    lines: [
      { metric: "delta_abs_max", label: "max", color: "orange" },
      { metric: "delta_abs_p99", label: "p99", color: "blue" },
      { metric: "delta_abs_mean", label: "mean", color: "teal", dash: [6, 3] },
      { metric: "delta_abs_p50", label: "median", color: "grey", dash: [2, 3] },
    ],
  },
  {
    id: "delta",
    title: "Δ within its extremes",
    unit: "nats",
    kind: "signed",
    isLinear: true,
    lines: [{ metric: "delta_mean", label: "mean", color: "blue" }],
    band: { low: "delta_min", high: "delta_max", label: "extremes" },
  },
  {
    id: "kl",
    title: "KL(rollout ‖ trainer)",
    unit: "nats",
    kind: "number",
    lines: [
      { metric: "k3", label: RUN_METRICS.k3.label, color: "blue" },
      { metric: "k1", label: RUN_METRICS.k1.label, color: "grey", dash: [2, 3] },
    ],
  },
];

/** With slices, a chart has one figure per slice. */
const SLICED = metricsAt("charts").map((metric): ChartKind => {
  const { label, chart, unit, kind, scale } = runMetric(metric);
  const { title = label, id, line = label, color = "blue" } = chart!;
  return {
    id: id!,
    title,
    unit,
    kind,
    isLinear: scale === "linear",
    lines: [{ metric, label: line, color }],
  };
});

const CHARTS = [
  ...SLICED.slice(0, 1),
  ...TOGETHER,
  ...SLICED.filter(
    ({ lines: [line] }) => !TOGETHER.some(({ lines }) => lines.some(({ metric }) => metric === line!.metric)),
  ),
];

export interface StepCharts {
  readonly charts: readonly ChartSpec[];
  /** Titles of the charts for which no step has a figure. */
  readonly absent: readonly string[];
  /** Groups of the slice beyond those with their own color. */
  readonly faint: number;
}

/** Slices that the data have, each of at least two groups. */
export function sliceChoices({ slices }: StepSeries): SliceBy[] {
  return SLICES.filter((by) => slices.filter((slice) => slice.by === by).length > 1);
}

/** The part of the series that is drawn. */
type Drawn = Pick<StepSeries, "steps" | "series" | "slices">;

/** The charts of a report, which has no slices by step; none for fewer than two steps. */
export function reportStepCharts(perStep: readonly StepMetrics[]): readonly ChartSpec[] {
  const series = Object.fromEntries(
    STEP_METRICS.map((name) => [name, perStep.map((step) => step[name])]),
  ) as unknown as StepSeries["series"];
  const data = { steps: perStep.map(({ step }) => step), series, slices: [] };
  const { charts } = stepCharts(data, null, "auto");
  return (charts[0]?.xs.length ?? 0) < 2 ? [] : charts;
}

export function stepCharts(data: Drawn, by: SliceBy | null, choice: ScaleChoice): StepCharts {
  const places = data.steps.flatMap((step, index) => (step === null ? [] : [index]));
  const xs = places.map((place) => data.steps[place]!);
  const pick = (values: ChartValues | undefined): ChartValues =>
    places.map((place) => values?.[place] ?? null);
  const groups = by === null ? [] : sortedSlices(data, by);
  const kinds = by === null ? CHARTS : SLICED.filter(({ id }) => !(by === "correct" && id === "accuracy"));
  const specs = kinds.map((kind): ChartSpec => {
    const lines =
      by === null
        ? kind.lines.map(({ metric, ...line }): ChartLine => ({ ...line, values: pick(data.series[metric]) }))
        : groups
            .map(
              ({ label, series }, index): ChartLine => ({
                label,
                ...sliceLook(index),
                values: pick(series[kind.lines[0]?.metric ?? "k3"]),
              }),
            )
            // Faint lines are drawn first, behind the others.
            .toSorted((a, b) => Number(b.color === "faint") - Number(a.color === "faint"));
    const scale = choice === "auto" || kind.isLinear ? (kind.isLog ? "log" : "linear") : choice;
    const { id, title, unit, band } = kind;
    const spec: ChartSpec = {
      id: by === null ? id : `${id}-by-${by}`,
      title,
      unit,
      xLabel: "step",
      xs,
      lines: lines.filter(({ values }) => values.some(isFigure)),
      kind: kind.kind,
      fromZero: kind.kind !== "near-one",
      extreme: kind.kind === "near-one" ? "least" : "most",
      scale,
      ...(band === undefined || by !== null
        ? {}
        : {
            band: {
              label: band.label,
              low: pick(data.series[band.low]),
              high: pick(data.series[band.high]),
            },
          }),
    };
    return kind.kind === "near-one" && spec.scale === "log" ? lostShare(spec) : spec;
  });
  return {
    charts: specs.filter(({ lines }) => lines.length > 0),
    absent: specs.filter(({ lines }) => lines.length === 0).map(({ title }) => title),
    faint: Math.max(0, groups.length - MOST_COLORED),
  };
}

/** Draws 1 minus the value, since near 1 a logarithmic axis shows nothing. */
function lostShare(spec: ChartSpec): ChartSpec {
  return {
    ...spec,
    title: "1 − ESS",
    kind: "number",
    extreme: "most",
    lines: spec.lines.map((line) => ({
      ...line,
      label: line.label === "ESS" ? "1 − ESS" : line.label,
      values: line.values.map((value) => (value === null ? null : 1 - value)),
    })),
  };
}

/** Groups with the largest mismatch come first, so that they get the colors; correctness has right before wrong. */
function sortedSlices(data: Drawn, by: SliceBy): { label: string; series: Slice["series"] }[] {
  const all = data.slices.filter((slice) => slice.by === by);
  const sorted =
    by === "correct"
      ? all.toSorted((a, b) => sliceLabel(by, a.value).localeCompare(sliceLabel(by, b.value)))
      : all.length <= MOST_COLORED
        ? all.toSorted((a, b) => a.value.localeCompare(b.value, "en", { numeric: true }))
        : all.toSorted((a, b) => averageLevel(b) - averageLevel(a));
  return sorted.map(({ value, series }) => ({ label: sliceLabel(by, value), series }));
}

type Slice = StepSeries["slices"][number];

/**
 * A group's mean mismatch over all steps; its worst step would say little, as that is often the worst step of every
 * group.
 */
function averageLevel({ series }: Slice): number {
  const known = (series.delta_abs_mean ?? []).filter((value) => value !== null);
  return known.length === 0 ? 0 : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** `1` for correctness is `right`, `3` for ranks is `rank 3`. */
function sliceLabel(by: SliceBy, value: string): string {
  if (by === "correct")
    return { "1": "right", "0": "wrong", correct: "right", incorrect: "wrong" }[value] ?? value;
  if (by === "rank") return `rank ${value}`;
  if (by === "weight_version") return `weights ${value}`;
  return value;
}
