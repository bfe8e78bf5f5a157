/**
 * The charts over steps: both runs on one axis, with B − A below.
 *
 * @module
 */

import type { ChartSpec, ChartValues } from "../../../../src/render/charts/index.ts";
import { runMetric, STEP_METRICS, type StepMetric } from "../../../../src/results/metrics/run-metrics.ts";
import type { RunComparison, StepSeries } from "../../../../src/results/view.ts";
import type { StepRange } from "../../state/step-range.ts";

const TRACK_HEIGHT = 96;

export interface ComparedChart {
  readonly metric: StepMetric;
  readonly both: ChartSpec;
  /** Undefined if no step has figures of both runs. */
  readonly difference: ChartSpec | undefined;
}

/** Charts over the steps of either run, without charts that lack figures of one run. */
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
  return STEP_METRICS.flatMap((metric) => {
    const { label, chart, unit, kind } = runMetric(metric);
    const isNearOne = kind === "near-one";
    const [inA, inB] = [lineUp(a.steps, a.series[metric]), lineUp(b.steps, b.series[metric])];
    if (!hasValues(inA) || !hasValues(inB)) return [];
    const difference = lineUp(steps.steps, steps.difference[metric]);
    const common = { unit, xLabel: "step", xs, scale: "linear" } as const;
    const both: ChartSpec = {
      ...common,
      id: `compare-${metric}`,
      title: chart?.title ?? label,
      lines: [
        { label: `A ${names.a}`, color: "blue", joins: true, values: inA },
        { label: `B ${names.b}`, color: "orange", dash: [6, 3], joins: true, values: inB },
      ],
      kind,
      fromZero: !isNearOne,
      extreme: isNearOne ? "least" : kind === "signed" ? "furthest" : "most",
    };
    const track: ChartSpec = {
      ...common,
      id: `compare-${metric}-difference`,
      title: `${label}: B − A`,
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
