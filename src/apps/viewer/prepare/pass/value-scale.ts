/**
 * The scale on which values are drawn.
 *
 * @module
 */
import type { ValueSketch } from "../../../../core/summaries/index.ts";

/** p99.5: all but the most extreme tokens get distinguishable colors. */
const SCALE_QUANTILE = 0.995;

export interface ValueScale {
  readonly scale: number;
  readonly largest: number;
}

/** The largest value where almost all are 0, and 1e-6 where all are, so that no scale is empty. */
export function valueScale(sketch: ValueSketch): ValueScale {
  const [value = 0] = sketch.quantiles([SCALE_QUANTILE]);
  const largest = sketch.max;
  return { scale: value > 0 ? value : largest > 0 ? largest : 1e-6, largest };
}
