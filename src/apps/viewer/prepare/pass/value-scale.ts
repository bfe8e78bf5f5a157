/**
 * The scale on which values are drawn.
 *
 * @module
 */
import { computeK3 } from "../../../../core/kernels/index.ts";
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
  return { scale: visibleScale(value, sketch.max), largest: sketch.max };
}

/**
 * The same of k3 = e^Δ − Δ − 1, from a sketch of Δ, to the width of its cells. A k3 beyond single precision is left out.
 */
export function k3Scale(deltas: ValueSketch): ValueScale {
  const { middles, counts } = deltas.columns();
  const k3 = (delta: number): number =>
    Math.fround(computeK3(Math.min(Math.max(delta, deltas.min), deltas.max)));
  const cells = Array.from(middles, (middle, i) => ({ k3: k3(middle), count: counts[i]! }))
    .filter((cell) => Number.isFinite(cell.k3))
    .sort((a, b) => a.k3 - b.k3);
  const furthest = Math.max(k3(deltas.min), k3(deltas.max));
  const largest = Number.isFinite(furthest) ? furthest : (cells.at(-1)?.k3 ?? 0);
  const last = cells.reduce((sum, { count }) => sum + count, 0) - 1;
  const valueAt = (rank: number): number => {
    let left = rank;
    const cell = cells.find(({ count }) => {
      left -= count;
      return left < 0;
    });
    return rank === last ? largest : (cell?.k3 ?? 0);
  };
  const rank = SCALE_QUANTILE * Math.max(last, 0);
  const [low, high] = [valueAt(Math.floor(rank)), valueAt(Math.ceil(rank))];
  return { scale: visibleScale(low + (high - low) * (rank % 1), largest), largest };
}

function visibleScale(value: number, largest: number): number {
  return value > 0 ? value : largest > 0 ? largest : 1e-6;
}
