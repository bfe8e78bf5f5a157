/**
 * The charts over steps: both runs on one axis, with B − A below.
 *
 * @module
 */

import type { ChartSpec, ChartValues } from "../../../../src/render/charts/index.ts";
import type { FigureKind } from "../../../../src/render/text/display/index.ts";
import type { RunComparison, StepMetric, StepSeries } from "../../../../src/results/index.ts";
import type { StepRange } from "../../state/step-range.ts";

interface ChartKind {
  readonly metric: StepMetric;
  readonly title: string;
  readonly unit: string;
  readonly kind?: FigureKind;
  readonly nearOne?: boolean;
  /** A shorter title for the track below, where the title is long. */
  readonly short?: string;
}

const CHARTS: readonly ChartKind[] = [
  { metric: "delta_abs_mean", title: "Mean |Δ|", unit: "nats" },
  { metric: "delta_abs_p50", title: "Median |Δ|", unit: "nats" },
  { metric: "delta_abs_p99", title: "p99 |Δ|", unit: "nats" },
  { metric: "delta_abs_max", title: "Max |Δ|", unit: "nats" },
  { metric: "delta_mean", title: "Mean Δ", unit: "nats", kind: "signed" },
  { metric: "delta_min", title: "Smallest Δ", unit: "nats", kind: "signed" },
  { metric: "delta_max", title: "Largest Δ", unit: "nats", kind: "signed" },
  { metric: "k1", title: "k1", unit: "nats", kind: "signed" },
  { metric: "k3", title: "k3", unit: "nats" },
  {
    metric: "ess",
    title: "Effective sample size",
    unit: "share",
    kind: "near-one",
    nearOne: true,
    short: "ESS",
  },
  { metric: "prob_diff_max", title: "Largest |Δp|", unit: "" },
  { metric: "entropy", title: "Entropy", unit: "nats" },
  { metric: "response_tokens", title: "Response length", unit: "tokens" },
  { metric: "reward", title: "Reward", unit: "" },
  { metric: "accuracy", title: "Accuracy", unit: "", kind: "share" },
];

const TRACK_HEIGHT = 96;

export interface ComparedChart {
  readonly metric: StepMetric;
  readonly both: ChartSpec;
  /** Undefined where no step has figures of both runs. */
  readonly difference: ChartSpec | undefined;
}

/** Charts over the steps of either run; those with a figure of each run only. */
export function chartsOverSteps(
  a: StepSeries,
  b: StepSeries,
  { names, steps }: Pick<RunComparison, "names" | "steps">,
): ComparedChart[] {
  const xs = [...new Set([...a.steps, ...b.steps])]
    .filter((step): step is number => step !== null)
    .sort((one, other) => one - other);
  const lineUp = (at: readonly (number | null)[], values: ChartValues): ChartValues => {
    const places = new Map(at.map((step, place) => [step, place]));
    return xs.map((x) => values[places.get(x) ?? -1] ?? null);
  };
  return CHARTS.flatMap(({ metric, title, unit, kind = "number", nearOne = false, short = title }) => {
    const [inA, inB] = [lineUp(a.steps, a.series[metric]), lineUp(b.steps, b.series[metric])];
    if (!hasValues(inA) || !hasValues(inB)) return [];
    const difference = lineUp(steps.steps, steps.difference[metric]);
    const common = { unit, xLabel: "step", xs, scale: "linear" } as const;
    const both: ChartSpec = {
      ...common,
      id: `compare-${metric}`,
      title,
      lines: [
        { label: `A ${names.a}`, color: "blue", joins: true, values: inA },
        { label: `B ${names.b}`, color: "orange", dash: [6, 3], joins: true, values: inB },
      ],
      kind,
      fromZero: !nearOne,
      extreme: nearOne ? "least" : kind === "signed" ? "furthest" : "most",
    };
    const track: ChartSpec = {
      ...common,
      id: `compare-${metric}-difference`,
      title: `${short}: B − A`,
      lines: [{ label: "B − A", color: "teal", joins: true, values: difference }],
      kind: "signed",
      fromZero: true,
      extreme: "furthest",
      height: TRACK_HEIGHT,
    };
    return [{ metric, both, difference: hasValues(difference) ? track : undefined }];
  });
}

function hasValues(values: ChartValues): boolean {
  return values.some((value) => value !== null);
}

/** `step 30`, `steps 30 to 60`. */
export function sayRange([from, to]: StepRange): string {
  return from === to ? `step ${from}` : `steps ${from} to ${to}`;
}
