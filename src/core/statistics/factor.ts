/**
 * The factor by which one part of a run exceeds another, with its uncertainty: a ratio of two ratio estimators over
 * the same clusters.
 *
 * @module
 */
import { clusterInterval } from "./cluster-interval.ts";

/**
 * `[clusters]` each: each cluster's (a prompt's responses') contribution to the two parts; 0 and 0 if it has no such
 * part.
 */
export interface TwoParts {
  /** Sums of the first part (Σ|Δ|) and their divisors (tokens). */
  readonly sums: Float64Array;
  readonly sizes: Float64Array;
  readonly otherSums: Float64Array;
  readonly otherSizes: Float64Array;
}

export interface Factor {
  /** (Σ sums / Σ sizes) / (Σ otherSums / Σ otherSizes). */
  readonly factor: number;
  /** 95 % interval; null if {@link MIN_CLUSTERS} or {@link MAX_SHARE} forbids it. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** The smallest and largest factor with any one cluster left out. */
  readonly leaveOneOut: { readonly low: number; readonly high: number };
  /** The cluster that holds the largest share of the first part's sum, and that share. */
  readonly largest: { readonly cluster: number; readonly share: number };
  /** The factor without that cluster. */
  readonly withoutLargest: number;
}

/** Clusters that each part must have for a t interval to keep its coverage. */
export const MIN_CLUSTERS = 10;
/** Largest share of a part's sum in one cluster: beyond it, an interval would mostly describe that cluster. */
const MAX_SHARE = 0.1;

/**
 * The interval is that of `clusterInterval`; the influence of a cluster on log F is e_g/Σ sums of the first part minus
 * the same for the other, where e_g = x_g − R·n_g (linearized ratio, Cochran, "Sampling Techniques", 1977, section
 * 6.3).
 *
 * NaN if a part is empty.
 */
export function clusteredFactor({ sums, sizes, otherSums, otherSizes }: TwoParts): Factor {
  const first = buildPart(sums, sizes);
  const second = buildPart(otherSums, otherSizes);
  const factor = first.ratio / second.ratio;
  const leaveOneOut = { low: factor, high: factor };
  let withoutLargest = factor;
  for (let g = 0; g < sums.length; g++) {
    if (sizes[g] === 0 && otherSizes[g] === 0) continue;
    const left = without(first, sums[g]!, sizes[g]!) / without(second, otherSums[g]!, otherSizes[g]!);
    if (g === first.largest) withoutLargest = left;
    if (!Number.isFinite(left)) continue;
    leaveOneOut.low = Math.min(leaveOneOut.low, left);
    leaveOneOut.high = Math.max(leaveOneOut.high, left);
  }
  const allowed =
    Math.min(first.clusters, second.clusters) >= MIN_CLUSTERS &&
    Math.max(first.largestShare, second.largestShare) <= MAX_SHARE;
  return {
    factor,
    interval: allowed ? computeInterval({ sums, sizes, otherSums, otherSizes }, first, second) : null,
    leaveOneOut,
    largest: { cluster: first.largest, share: first.largestShare },
    withoutLargest,
  };
}

interface Part {
  readonly sum: number;
  readonly size: number;
  readonly ratio: number;
  readonly clusters: number;
  readonly largest: number;
  readonly largestShare: number;
}

function buildPart(sums: Float64Array, sizes: Float64Array): Part {
  let sum = 0;
  let size = 0;
  let clusters = 0;
  let largest = -1;
  for (let g = 0; g < sums.length; g++) {
    if (sizes[g] === 0) continue;
    clusters++;
    sum += sums[g]!;
    size += sizes[g]!;
    if (largest < 0 || sums[g]! > sums[largest]!) largest = g;
  }
  const largestShare = sum > 0 ? sums[largest]! / sum : 0;
  return { sum, size, ratio: sum / size, clusters, largest, largestShare };
}

function without(part: Part, sum: number, size: number): number {
  return (part.sum - sum) / (part.size - size);
}

function computeInterval(
  { sums, sizes, otherSums, otherSizes }: TwoParts,
  first: Part,
  second: Part,
): { low: number; high: number } {
  const factor = first.ratio / second.ratio;
  const influences = Float64Array.from(sums, (sum, g) => {
    const own = (sum - first.ratio * sizes[g]!) / first.sum;
    const other = (otherSums[g]! - second.ratio * otherSizes[g]!) / second.sum;
    return factor * (own - other);
  });
  return clusterInterval(factor, influences, "log");
}
