/**
 * Which tokens every setting of a grid treats alike.
 *
 * @module
 */

import { k3Of } from "../../core/kernels/index.ts";
import type { Bounds, Correction, Measure, Statistic } from "../../trainers/neutral/index.ts";

/**
 * The tokens inside all bounds that any token-level rule of any setting has. Such a *core* token is never clamped or
 * rejected on its own account, whatever the setting, so sums over the core of a turn stand for its tokens; the others,
 * the *tail*, are kept one by one. Both ends included; empty where low > high.
 */
export interface CoreRegion {
  /** Of Δ, nats. */
  readonly delta: Interval;
  /** Of Δp; infinite where no rule looks at single tokens' Δp. */
  readonly probDiff: Interval;
  /** True: tokens whose advantage has the sign of their Δ are all of the tail, because some rule parts turns by it. */
  readonly divergingInTail: boolean;
  /** What some rule of a turn or sequence sums, beside powers of Δ. */
  readonly sums: readonly ExtraStatistic[];
}

export type ExtraStatistic = Exclude<Statistic, "ratio" | "k1" | "k2">;

interface Interval {
  readonly low: number;
  readonly high: number;
}

const EVERYTHING: Interval = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
const NOTHING: Interval = { low: 1, high: 0 };
/** Bounds are moved inwards by this, relative, so that rounding never puts a token outside a rule into the core. */
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
        if (weight?.level === "token") delta = within(delta, logarithms(step));
        continue;
      }
      const { measure } = step;
      measured.push(measure);
      delta = within(delta, logBounds(measure.deltaBound));
      if (measure.level !== "token") continue;
      if (isProbDiff(measure)) probDiff = within(probDiff, ownBounds(measure, step));
      else delta = within(delta, ownBounds(measure, step));
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

function isProbDiff({ statistic }: Measure): boolean {
  return statistic === "prob_diff" || statistic === "abs_prob_diff";
}

/** Where a token statistic is within its bounds: an interval of Δ, or of Δp for the two that are about it. */
function ownBounds({ statistic }: Measure, bounds: Bounds): Interval {
  const { lower = Number.NEGATIVE_INFINITY, upper = Number.POSITIVE_INFINITY } = bounds;
  switch (statistic) {
    case "ratio":
      return logarithms(bounds);
    case "k1":
      return { low: -upper, high: -lower };
    case "prob_diff":
      return { low: lower, high: upper };
    case "abs_prob_diff":
      return lower > 0 ? NOTHING : symmetric(upper);
    case "error_ratio":
      return lower > 1 ? NOTHING : symmetric(Math.log(upper));
    case "ratio_distance":
      return lower > 0 ? NOTHING : logarithms({ lower: 1 - upper, upper: 1 + upper });
    case "k2":
      return lower > 0 || upper < 0 ? NOTHING : symmetric(Math.sqrt(2 * upper));
    case "k3":
      return lower > 0 || upper < 0 ? NOTHING : { low: -k3Inverse(upper, -1), high: k3Inverse(upper, 1) };
    case "k3_reverse":
      return lower > 0 || upper < 0 ? NOTHING : { low: -k3Inverse(upper, 1), high: k3Inverse(upper, -1) };
  }
}

/** The distance from 0, on one side, at which k3 reaches a value; rounded towards 0. */
function k3Inverse(value: number, side: 1 | -1): number {
  if (value === Number.POSITIVE_INFINITY) return value;
  let [low, high] = [0, side === 1 ? 710 : value + 1];
  for (let i = 0; i < 200 && low < high; i++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (k3Of(side * middle) <= value) low = middle;
    else high = middle;
  }
  return low;
}

function logarithms({ lower = 0, upper = Number.POSITIVE_INFINITY }: Bounds): Interval {
  return { low: lower > 0 ? Math.log(lower) : Number.NEGATIVE_INFINITY, high: Math.log(upper) };
}

function logBounds(bound: number | undefined): Interval {
  return bound === undefined ? EVERYTHING : symmetric(bound);
}

function symmetric(bound: number): Interval {
  return Number.isNaN(bound) || bound < 0 ? NOTHING : { low: -bound, high: bound };
}

function within(a: Interval, b: Interval): Interval {
  return { low: Math.max(a.low, b.low), high: Math.min(a.high, b.high) };
}

function inwards({ low, high }: Interval): Interval {
  const margin = (bound: number): number => (Number.isFinite(bound) ? MARGIN * (1 + Math.abs(bound)) : 0);
  return { low: low + margin(low), high: high - margin(high) };
}
