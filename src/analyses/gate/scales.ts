import type { MetricScale } from "../../results/metrics/run-metrics.ts";

interface Transform {
  /** NaN or infinite outside the scale's domain. */
  to(value: number): number;
  back(value: number): number;
}

const TRANSFORMS: Readonly<Record<MetricScale, Transform>> = {
  linear: { to: (x) => x, back: (y) => y },
  log: { to: Math.log, back: Math.exp },
  below_one: { to: (x) => Math.log1p(-x), back: (y) => -Math.expm1(y) },
  root: { to: Math.sqrt, back: (y) => Math.max(0, y) ** 2 },
};

/** Whether larger values are smaller on the scale. */
export const isTurned = (scale: MetricScale): boolean => scale === "below_one";

export function toScale(scale: MetricScale, value: number): number {
  return TRANSFORMS[scale].to(value);
}

export function fromScale(scale: MetricScale, value: number): number {
  return TRANSFORMS[scale].back(value);
}

/** A scale on which all values can be placed: a logarithm cannot place 0. */
export function settleScale(wanted: MetricScale, values: readonly number[]): MetricScale {
  return values.every((value) => Number.isFinite(toScale(wanted, value))) ? wanted : "linear";
}

/** P(|Z| > 1.96) = 0.05. */
const NORMAL_95 = 1.959963984540054;

/**
 * The standard error of a reading on a scale: half of its 95 % interval over 1.96. The interval uses Student's t, so
 * with few prompts this exceeds the standard error, which widens corridors and never narrows them.
 */
export function errorOnScale(
  scale: MetricScale,
  interval: { readonly low: number; readonly high: number } | null,
): number | null {
  if (interval === null) return null;
  const width = Math.abs(toScale(scale, interval.high) - toScale(scale, interval.low));
  return Number.isFinite(width) ? width / 2 / NORMAL_95 : null;
}
