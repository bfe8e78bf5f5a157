import { isMissing } from "../../core/text/index.ts";
import type { StepMetrics } from "../../results/report.ts";

/** Consecutive steps, pooled where pooling is exact. */
export interface StepRange {
  readonly first: number | null;
  readonly last: number | null;
  readonly steps: number;
  readonly sequences: number;
  readonly tokens: number;
  /** Over all tokens of the range. */
  readonly delta_abs_mean: number;
  readonly k3: number;
  readonly delta_abs_max: number;
  readonly prob_diff_max: number;
  /** The step with the largest mean |Δ| of the range, and the one with the smallest mean |Δ|. */
  readonly worst: StepMetrics;
  readonly delta_abs_mean_low: number;
  readonly delta_abs_mean_high: number;
}

/**
 * Folds steps into at most `most` ranges of nearly equal length. Means are weighted by tokens, so they are means over
 * the range; maxima are kept, so no outlier is lost.
 */
export function foldSteps(steps: readonly StepMetrics[], most: number): StepRange[] {
  const ranges = Math.min(most, steps.length);
  return Array.from({ length: ranges }, (_, index) => {
    const from = Math.floor((index * steps.length) / ranges);
    const to = Math.floor(((index + 1) * steps.length) / ranges);
    return poolSteps(steps.slice(from, to));
  });
}

function poolSteps(steps: readonly StepMetrics[]): StepRange {
  const first = steps[0]!;
  let worst = first;
  let [low, high] = [Number.NaN, Number.NaN];
  for (const step of steps) {
    const mean = step.delta_abs_mean;
    if (isMissing(mean)) continue;
    if (isMissing(worst.delta_abs_mean) || mean > worst.delta_abs_mean) worst = step;
    low = Number.isNaN(low) ? mean : Math.min(low, mean);
    high = Number.isNaN(high) ? mean : Math.max(high, mean);
  }
  return {
    first: first.step,
    last: steps[steps.length - 1]!.step,
    steps: steps.length,
    sequences: steps.reduce((sum, step) => sum + step.sequences, 0),
    tokens: steps.reduce((sum, step) => sum + step.tokens, 0),
    delta_abs_mean: tokenMean(steps, "delta_abs_mean"),
    k3: tokenMean(steps, "k3"),
    delta_abs_max: largest(steps, "delta_abs_max"),
    prob_diff_max: largest(steps, "prob_diff_max"),
    worst,
    delta_abs_mean_low: low,
    delta_abs_mean_high: high,
  };
}

function tokenMean(steps: readonly StepMetrics[], key: "delta_abs_mean" | "k3"): number {
  let sum = 0;
  let tokens = 0;
  for (const step of steps) {
    if (isMissing(step[key])) continue;
    sum += step[key] * step.tokens;
    tokens += step.tokens;
  }
  return tokens === 0 ? Number.NaN : sum / tokens;
}

function largest(steps: readonly StepMetrics[], key: "delta_abs_max" | "prob_diff_max"): number {
  let most = Number.NaN;
  for (const step of steps) if (!isMissing(step[key]) && !(step[key] <= most)) most = step[key];
  return most;
}
