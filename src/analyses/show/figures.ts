import { orNull } from "../../core/base/index.ts";
import { computeK3 } from "../../core/kernels/index.ts";
import type { ShowFigures } from "../../results/index.ts";

/**
 * Figures of the tokens `[from, to)` with mask 1.
 *
 * @param deltas `[n]`, nats; NaN where missing
 * @param mask `[n]`
 */
export function computeFigures(
  deltas: Float64Array,
  mask: Uint8Array,
  from = 0,
  to = mask.length,
): ShowFigures {
  let [tokens, infinite, missing, worst] = [0, 0, 0, -1];
  let [sum, absolute, k3, largest] = [0, 0, 0, -1];
  for (let at = from; at < to; at++) {
    if (mask[at] === 0) continue;
    tokens++;
    const delta = deltas[at]!;
    if (Number.isNaN(delta)) missing++;
    else if (!Number.isFinite(delta)) infinite++;
    else {
      const size = Math.abs(delta);
      sum += delta;
      absolute += size;
      k3 += computeK3(delta);
      if (size > largest) [largest, worst] = [size, at];
    }
  }
  const measured = tokens - infinite - missing;
  return {
    tokens,
    measured,
    infinite,
    missing,
    delta_mean: orNull(sum / measured),
    delta_abs_mean: orNull(absolute / measured),
    delta_abs_max: worst < 0 ? null : largest,
    k3: orNull(k3 / measured),
    worst: worst < 0 ? null : worst,
  };
}
