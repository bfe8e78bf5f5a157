import type { Finding } from "../../core/schema/index.ts";
import { formatNumber } from "../../core/text/index.ts";
import { recogniseMetric } from "../../trainers/index.ts";
import type { LoggedValues } from "./finite-metrics.ts";
import type { SeriesInput } from "./series-input.ts";

/** A mean of weights from which on no cap explains it: verl warns below this. */
const SMALL_MEAN = 0.5;

export interface SmallWeights {
  /** What follows the verdict. */
  readonly words: string;
  readonly finding: Finding;
}

/**
 * A step at which no importance weight reaches 1, and their mean is far below it. Under the policy that sampled, the ratios
 * of its tokens average 1 (Σ p · q/p = 1), so some exceed 1; a cap above 1 does not change that.
 */
export function findSmallWeights(files: readonly SeriesInput[]): SmallWeights | undefined {
  for (const { file, series } of files)
    for (const mean of series.filter((each) => recogniseMetric(each.metric)?.figure === "ratio_mean")) {
      const name = mean.metric.replace(/mean$/, "max");
      const largest = series.find(
        ({ run, metric }) => run === mean.run && metric === name && name !== mean.metric,
      );
      const at =
        largest === undefined ? -1 : mean.steps.findIndex((step, i) => isSmall(mean, i, largest, step));
      if (largest !== undefined && at >= 0) return describe(mean, at, largest, file);
    }
  return undefined;
}

const valueAt = ({ steps, values }: LoggedValues, step: number): number =>
  values[steps.indexOf(step)] ?? Number.NaN;

function isSmall(mean: LoggedValues, at: number, largest: LoggedValues, step: number): boolean {
  return mean.values[at]! < SMALL_MEAN && valueAt(largest, step) < 1;
}

function describe(mean: LoggedValues, at: number, largest: LoggedValues, file: string): SmallWeights {
  const step = mean.steps[at]!;
  const most = formatNumber(valueAt(largest, step));
  return {
    words: `; no weight reaches 1 at step ${step}`,
    finding: {
      code: "note",
      severity: "warning",
      message: `at step ${step} the largest importance weight is ${most}, and their mean ${formatNumber(mean.values[at]!)} (${largest.metric}, ${mean.metric})`,
      count: 1,
      at: { file },
      likely:
        "the rollout log-probs are not those of the policy that sampled: under it the ratios of tokens average 1; or these are products over long sequences, which can all be small",
      hint: "give a dump of the step: logratio doctor says which",
    },
  };
}
