import { computeK3 } from "../../../../../src/core/kernels/index.ts";

export interface Statistics {
  /** The number of tokens with mask 1. */
  readonly tokens: number;
  /** The number of those with a finite Δ, which means and extremes are over. */
  readonly measured: number;
  readonly infinite: number;
  /** Nats; NaN where nothing is measured. */
  readonly meanAbs: number;
  readonly maxAbs: number;
  readonly k3: number;
  /** The response token with the largest |Δ|; -1 if there is none. */
  readonly worst: number;
}

/**
 * Figures of the response tokens `[from, to)` with mask 1.
 *
 * @param deltas `[n]`, NaN where missing
 * @param mask `[n]`
 */
export function computeStatistics(
  deltas: Float64Array,
  mask: Uint8Array,
  from = 0,
  to = mask.length,
): Statistics {
  let tokens = 0;
  let measured = 0;
  let infinite = 0;
  let sum = 0;
  let k3 = 0;
  let maxAbs = -1;
  let worst = -1;
  for (let at = Math.max(0, from); at < Math.min(to, mask.length); at++) {
    if (mask[at] === 0) continue;
    tokens++;
    const delta = deltas[at]!;
    if (Number.isNaN(delta)) continue;
    if (!Number.isFinite(delta)) {
      infinite++;
      continue;
    }
    measured++;
    const size = Math.abs(delta);
    sum += size;
    k3 += computeK3(delta);
    if (size > maxAbs) {
      maxAbs = size;
      worst = at;
    }
  }
  return {
    tokens,
    measured,
    infinite,
    meanAbs: sum / measured,
    maxAbs: worst < 0 ? Number.NaN : maxAbs,
    k3: k3 / measured,
    worst,
  };
}

/** The next response token after (or before) `from` with |Δ| ≥ `near`, non-finite ones included. */
export function nextDivergent(
  deltas: Float64Array,
  near: number,
  from: number | undefined,
  way: 1 | -1,
): number | undefined {
  const start = from === undefined ? (way === 1 ? 0 : deltas.length - 1) : from + way;
  for (let at = start; at >= 0 && at < deltas.length; at += way) if (Math.abs(deltas[at]!) >= near) return at;
  return undefined;
}
