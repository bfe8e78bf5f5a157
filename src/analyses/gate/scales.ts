import type { MetricScale } from "../../results/metrics/run-metrics.ts";

interface Transform {
  /** NaN or infinite outside its domain. */
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

/** The scale on which all of the values have a place: a logarithm has none of 0. */
export function settleScale(wanted: MetricScale, values: readonly number[]): MetricScale {
  return values.every((value) => Number.isFinite(toScale(wanted, value))) ? wanted : "linear";
}

/** P(|Z| > 1.96) = 0.05. */
const NORMAL_95 = 1.959963984540054;

/**
 * The standard error of a reading on a scale, from its 95 % interval: half of it over 1.96. The interval is by Student's
 * t, so of few prompts this is more than the standard error, which makes corridors wider and never narrower.
 */
export function errorOnScale(
  scale: MetricScale,
  interval: { readonly low: number; readonly high: number } | null,
): number | null {
  if (interval === null) return null;
  const width = Math.abs(toScale(scale, interval.high) - toScale(scale, interval.low));
  return Number.isFinite(width) ? width / 2 / NORMAL_95 : null;
}
