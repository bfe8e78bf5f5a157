/**
 * The interval of Δ in which a token is inside a rule's bounds: thresholds of every statistic on one axis.
 *
 * @module
 */
import { computeK3 } from "../../core/kernels/index.ts";
import type { Bounds, Statistic } from "./correction.ts";

/** Both ends included; empty if low > high. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

export const EVERYTHING: Interval = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
export const NOTHING: Interval = { low: 1, high: 0 };

/**
 * The values of Δ (nats), or of Δp for its two statistics, at which a token's statistic is within bounds. For a
 * statistic that is 0 at Δ = 0 and rises on both sides, a lower bound would leave two intervals: the result is then
 * {@link NOTHING}. So it is for a binary KL, which no Δ and no Δp bounds alone: `binaryKlBound` takes both log-probs.
 */
export function insideInterval(statistic: Statistic, bounds: Bounds): Interval {
  const { lower = Number.NEGATIVE_INFINITY, upper = Number.POSITIVE_INFINITY } = bounds;
  switch (statistic) {
    case "ratio":
      return logInterval(bounds);
    case "k1":
      return { low: -upper, high: -lower };
    case "prob_diff":
      return { low: lower, high: upper };
    case "abs_prob_diff":
      return lower > 0 ? NOTHING : symmetricInterval(upper);
    case "error_ratio":
      return lower > 1 ? NOTHING : symmetricInterval(Math.log(upper));
    case "ratio_distance":
      return lower > 0 ? NOTHING : logInterval({ lower: 1 - upper, upper: 1 + upper });
    case "k2":
      return lower > 0 || upper < 0 ? NOTHING : symmetricInterval(Math.sqrt(2 * upper));
    case "k3":
      return lower > 0 || upper < 0 ? NOTHING : { low: -k3Inverse(upper, -1), high: k3Inverse(upper, 1) };
    case "k3_reverse":
      return lower > 0 || upper < 0 ? NOTHING : { low: -k3Inverse(upper, 1), high: k3Inverse(upper, -1) };
    case "binary_kl":
    case "binary_kl_reverse":
      return NOTHING;
  }
}

/** The interval for bounds on a ratio. */
export function logInterval({ lower = 0, upper = Number.POSITIVE_INFINITY }: Bounds): Interval {
  return { low: lower > 0 ? Math.log(lower) : Number.NEGATIVE_INFINITY, high: Math.log(upper) };
}

export function symmetricInterval(bound: number): Interval {
  return Number.isNaN(bound) || bound < 0 ? NOTHING : { low: -bound, high: bound };
}

/** The distance from 0, on one side, at which k3 reaches a value, rounded towards 0. */
function k3Inverse(value: number, side: 1 | -1): number {
  if (value === Number.POSITIVE_INFINITY) return value;
  let [low, high] = [0, side === 1 ? 710 : value + 1];
  for (let i = 0; i < 200 && low < high; i++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (computeK3(side * middle) <= value) low = middle;
    else high = middle;
  }
  return low;
}
