/**
 * Figures over masked values as verl and xtuner compute them, with masked means divided by Σ mask + 1e-8
 * (masked-mean.ts), but without the cancellation that the plain formulas have for small mismatches.
 *
 * @module
 */
import { MASKED_MEAN_EPSILON, maskedMean } from "./masked-mean.ts";
import type { Moments } from "./moments.ts";

/** Figures by metric key. */
export type Figures = Record<string, number>;

export function prefixed(prefix: string, figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([key, value]) => [prefix + key, value]));
}

/** Masked mean of the values. */
export function computeMaskedMean({ mean, count }: Moments): number {
  return maskedMean(mean * count, count);
}

/**
 * sqrt(max(masked mean of x² − (masked mean of x)², 0)); 0 for fewer than two tokens. With f = n / (n + 1e-8) that is
 * f · (population variance + (1 − f) · mean²).
 */
export function maskedStd(values: Moments): number {
  const { count, mean } = values;
  if (count <= 1) return 0;
  const factor = maskedMean(count, count);
  const rest = MASKED_MEAN_EPSILON / (count + MASKED_MEAN_EPSILON);
  return Math.sqrt(factor * (values.variance() + rest * mean * mean));
}

/** 1 / masked mean of (w / (masked mean of w + 1e-8))², a fraction of the tokens; +Infinity if all weights are 0. */
export function maskedEffectiveSize(weights: Moments): number {
  const { count, mean, m2 } = weights;
  const scale = computeMaskedMean(weights) + MASKED_MEAN_EPSILON;
  return (scale * scale) / maskedMean(m2 + count * mean * mean, count);
}

/** `tensor.std()` (n − 1) of rows, 0 for a single one as verl and xtuner write. */
export function rowStd(rows: Moments): number {
  return rows.count > 1 ? Math.sqrt(rows.variance(1)) : 0;
}
