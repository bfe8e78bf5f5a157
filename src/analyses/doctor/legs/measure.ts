/**
 * How large a leg is in units that numerics explain, with intervals over clusters.
 *
 * Rounding moves logits; a logit that moves by ε moves the log-prob of the sampled token by about (1 − p) ε. So the
 * scale of the noise is σ = √(ΣΔ² / Σ(1 − p)²), whatever the text: sure tokens hardly move, unsure ones do.
 *
 * @module
 */
import { clusterInterval } from "../../../core/statistics/cluster-interval.ts";
import type { Interval } from "../../../core/statistics/result.ts";
import { LEG, type LegSums } from "./leg-sums.ts";

export interface LegMeasure {
  /** σ in nats of a logit. */
  readonly scale: number;
  /** 95 % interval of σ over clusters. */
  readonly interval: Interval;
  /**
   * √(mean square) over mean size of Δ/(1 − p), the lower end of its 95 % interval: √(π/2) = 1.25 for normal noise,
   * √2 for Laplace's law, more for few large differences.
   */
  readonly shapeLow: number;
  /** mean ρ − 1, and the half-width of its 95 % interval. */
  readonly excess: number;
  readonly excessMargin: number;
}

/** Undefined with fewer than two clusters: nothing then shows the uncertainty of a figure. */
export function measureLeg(leg: LegSums): LegMeasure | undefined {
  const clusters = [...leg.clusters.values()];
  if (clusters.length < 2) return undefined;
  const total = (column: number): number => leg.total(column);
  const [tokens, square, weightSquare] = [total(LEG.tokens), total(LEG.square), total(LEG.weightSquare)];
  const mean = total(LEG.excess) / tokens;
  const excess = clusterInterval(
    mean,
    Float64Array.from(clusters, (sums) => (sums[LEG.excess]! - mean * sums[LEG.tokens]!) / tokens),
    "linear",
  );
  const margin = excess.high - mean;
  if (square === 0) {
    const none = { low: 0, high: 0 };
    return { scale: 0, interval: none, shapeLow: 0, excess: mean, excessMargin: margin };
  }
  const variance = square / weightSquare;
  const interval = clusterInterval(
    variance,
    Float64Array.from(
      clusters,
      (sums) => (sums[LEG.square]! - variance * sums[LEG.weightSquare]!) / weightSquare,
    ),
    "log",
  );
  return {
    scale: Math.sqrt(variance),
    interval: { low: Math.sqrt(interval.low), high: Math.sqrt(interval.high) },
    shapeLow: boundShape(leg),
    excess: mean,
    excessMargin: margin,
  };
}

function boundShape(leg: LegSums): number {
  const [square, weightSquare] = [leg.total(LEG.square), leg.total(LEG.weightSquare)];
  const [abs, weight] = [leg.total(LEG.abs), leg.total(LEG.weight)];
  const shape = Math.log((Math.sqrt(square / weightSquare) * weight) / abs);
  const influences = Float64Array.from(
    leg.clusters.values(),
    (sums) =>
      sums[LEG.square]! / square / 2 -
      sums[LEG.weightSquare]! / weightSquare / 2 -
      sums[LEG.abs]! / abs +
      sums[LEG.weight]! / weight,
  );
  return Math.exp(clusterInterval(shape, influences, "linear").low);
}

/**
 * The lower end of the 95 % interval of σ of one leg over σ of another, paired by cluster: both legs score the same
 * tokens, so what they share cancels. Infinite if the other leg is exactly 0.
 */
export function boundRatio(leg: LegSums, other: LegSums): number {
  const [own, theirs] = [leg.total(LEG.square), other.total(LEG.square)];
  if (theirs === 0) return own === 0 ? Number.NaN : Number.POSITIVE_INFINITY;
  if (own === 0) return 0;
  const [ownWeight, otherWeight] = [leg.total(LEG.weightSquare), other.total(LEG.weightSquare)];
  const keys = new Set([...leg.clusters.keys(), ...other.clusters.keys()]);
  const share = (of: LegSums, key: number, square: number, weight: number): number => {
    const sums = of.clusters.get(key);
    return sums === undefined ? 0 : sums[LEG.square]! / square - sums[LEG.weightSquare]! / weight;
  };
  const influences = Float64Array.from(
    keys,
    (key) => (share(leg, key, own, ownWeight) - share(other, key, theirs, otherWeight)) / 2,
  );
  const ratio = Math.log(own / ownWeight / (theirs / otherWeight)) / 2;
  return Math.exp(clusterInterval(ratio, influences, "linear").low);
}
