/**
 * Which tokens every correction of a grid treats alike.
 *
 * @module
 */

import {
  type Correction,
  EVERYTHING,
  type Interval,
  insideInterval,
  logInterval,
  type Measure,
  type Statistic,
  symmetricInterval,
} from "../../trainers/neutral/index.ts";

/**
 * The tokens within the bounds of every token-level rule of every correction. Such a *core* token is never clamped or
 * rejected by itself under any correction, so sums over the core of a turn represent its tokens; the others, the
 * *tail*, are kept one by one. Both ends are included; empty if low > high.
 */
export interface CoreRegion {
  /** Range of Δ, nats. */
  readonly delta: Interval;
  /** Range of Δp; infinite if no rule depends on the Δp of single tokens. */
  readonly probDiff: Interval;
  /**
   * Whether all tokens whose advantage has the sign of their Δ are in the tail, because some rule splits turns by it.
   */
  readonly divergingInTail: boolean;
  /** What some turn or sequence rule sums, besides powers of Δ. */
  readonly sums: readonly ExtraStatistic[];
}

export type ExtraStatistic = Exclude<Statistic, "ratio" | "k1" | "k2">;

/** Bounds are tightened by this relative margin, so that rounding never puts a token outside a rule into the core. */
const MARGIN = 1e-12;

export function coreRegion(corrections: readonly Correction[]): CoreRegion {
  let delta = EVERYTHING;
  let probDiff = EVERYTHING;
  const measured: Measure[] = [];
  for (const { weight, steps } of corrections) {
    if (weight?.level === "token") delta = within(delta, logBounds(weight.logBound));
    delta = within(delta, logBounds(weight?.deltaBound));
    for (const step of steps) {
      if (step.action === "normalize") continue;
      if (step.action === "truncate" || step.measure === "weight") {
        if (weight?.level === "token") delta = within(delta, logInterval(step));
        continue;
      }
      const { measure } = step;
      measured.push(measure);
      delta = within(delta, logBounds(measure.deltaBound));
      if (measure.level !== "token") continue;
      if (measure.statistic === "prob_diff" || measure.statistic === "abs_prob_diff")
        probDiff = within(probDiff, insideInterval(measure.statistic, step));
      else delta = within(delta, insideInterval(measure.statistic, step));
    }
  }
  const extras = measured.flatMap(({ level, statistic }) =>
    level === "token" || statistic === "ratio" || statistic === "k1" || statistic === "k2" ? [] : [statistic],
  );
  return {
    delta: inwards(delta),
    probDiff: inwards(probDiff),
    divergingInTail: corrections.some(({ steps }) =>
      steps.some((step) => "only" in step && step.only !== undefined),
    ),
    sums: [...new Set(extras)],
  };
}

function logBounds(bound: number | undefined): Interval {
  return bound === undefined ? EVERYTHING : symmetricInterval(bound);
}

function within(a: Interval, b: Interval): Interval {
  return { low: Math.max(a.low, b.low), high: Math.min(a.high, b.high) };
}

function inwards({ low, high }: Interval): Interval {
  const margin = (bound: number): number => (Number.isFinite(bound) ? MARGIN * (1 + Math.abs(bound)) : 0);
  return { low: low + margin(low), high: high - margin(high) };
}
