import type { FloatArray } from "../../core/base/index.ts";
import { orNull } from "../../core/base/index.ts";
import { computeK3 } from "../../core/kernels/index.ts";
import type { ShowFigures } from "../../results/show.ts";

/**
 * Figures of the tokens `[from, to)` with mask 1.
 *
 * @param deltas `[n]`, nats; NaN if missing
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

/**
 * Figures of one policy's tokens `[from, to)` with mask 1: there is no Δ, and the worst is the least likely.
 *
 * @param logprobs `[n]`, nats; NaN if missing
 * @param mask `[n]`
 */
export function onePolicyFigures(
  logprobs: FloatArray,
  mask: Uint8Array,
  from: number,
  to: number,
): ShowFigures {
  let [tokens, infinite, missing, worst] = [0, 0, 0, -1];
  let [sum, least] = [0, Number.POSITIVE_INFINITY];
  for (let at = from; at < to; at++) {
    if (mask[at] === 0) continue;
    tokens++;
    const logprob = logprobs[at]!;
    if (Number.isNaN(logprob)) missing++;
    else if (!Number.isFinite(logprob)) infinite++;
    else {
      sum += logprob;
      if (logprob < least) [least, worst] = [logprob, at];
    }
  }
  const measured = tokens - infinite - missing;
  return {
    ...{ tokens, measured, infinite, missing },
    ...{ delta_mean: null, delta_abs_mean: null, delta_abs_max: null, k3: null },
    log_prob_mean: orNull(sum / measured),
    log_prob_min: worst < 0 ? null : least,
    worst: worst < 0 ? null : worst,
  };
}
