import { STEP_METRICS, type StepMetric } from "../../../results/metrics/run-metrics.ts";
import type { RunComparison, StepSeries } from "../../../results/view.ts";

/** b − a at the steps that both have; null where either has no figure. */
export function stepDifferences(a: StepSeries, b: StepSeries): RunComparison["steps"] {
  const places = new Map(b.steps.map((step, at) => [step, at]));
  const shared = a.steps.flatMap((step, at) =>
    places.has(step) ? [{ step, at, other: places.get(step)! }] : [],
  );
  const differences = (metric: StepMetric): (number | null)[] =>
    shared.map(({ at, other }) => {
      const [first, second] = [a.series[metric][at], b.series[metric][other]];
      return isNumber(first) && isNumber(second) ? second - first : null;
    });
  const difference = Object.fromEntries(
    STEP_METRICS.map((metric) => [metric, differences(metric)] as const),
  ) as Record<StepMetric, (number | null)[]>;
  return { steps: shared.map(({ step }) => step), difference };
}

/** JSON has infinities as their names. */
function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
