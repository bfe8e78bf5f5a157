/**
 * Chooses metrics of the run's own logger, and builds their charts.
 *
 * @module
 */
import type { ChartSpec } from "../../../../src/render/charts/index.ts";
import type { LoggedMetric } from "../../../../src/results/view.ts";
import type { StepRange } from "../../state/step-range.ts";

/** Names of other metrics that people look at first. */
const USUAL = /reward|score|entropy|grad_?norm|response_?length|clip|kl|loss|lr\b/i;
export const MOST_CHARTS = 24;

export interface ChosenMetrics {
  readonly shown: readonly LoggedMetric[];
  /** The number of chosen metrics that are beyond the limit and not shown. */
  readonly more: number;
}

/**
 * Metrics with one of these words in their name, in either case. Without words: the metrics of the mismatch and those
 * that people look at first, or all if there are neither.
 *
 * @param words separated by blanks
 */
export function chooseMetrics(metrics: readonly LoggedMetric[], words: string): ChosenMetrics {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const usual = metrics.filter(({ metric, meaning }) => meaning !== null || USUAL.test(metric));
  const chosen =
    wanted.length > 0
      ? metrics.filter((one) => wanted.some((word) => nameMetric(one).toLowerCase().includes(word)))
      : usual.length > 0
        ? usual
        : metrics;
  return { shown: chosen.slice(0, MOST_CHARTS), more: Math.max(0, chosen.length - MOST_CHARTS) };
}

function nameMetric({ metric, run }: LoggedMetric): string {
  return run === "" ? metric : `${metric} (${run})`;
}

/** @param range the chosen steps; undefined where none of them has a value */
export function chartMetric(one: LoggedMetric, range: StepRange | null): ChartSpec | undefined {
  const places = one.steps.flatMap((step, at) =>
    range === null || (step >= range[0] && step <= range[1]) ? [at] : [],
  );
  const values = places.map((at) => one.values[at]!);
  if (values.every((value) => value === null)) return undefined;
  const isSigned = values.some((value) => value !== null && value < 0);
  return {
    id: `logged-${nameMetric(one)}`,
    title: nameMetric(one),
    unit: one.unit ?? "",
    xLabel: "step",
    xs: places.map((at) => one.steps[at]!),
    lines: [{ label: "logged", color: "blue", values }],
    scale: "linear",
    kind: isSigned ? "signed" : "number",
    // Metrics such as a learning rate or a length may be far from 0 throughout.
    fromZero: false,
    extreme: isSigned ? "furthest" : "most",
  };
}
