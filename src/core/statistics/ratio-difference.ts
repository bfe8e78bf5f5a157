/**
 * How much the mean of one part of a run exceeds that of another, in the unit of the mean: a difference of two ratio
 * estimators over the same clusters.
 *
 * @module
 */
import { clusterInterval } from "./cluster-interval.ts";
import { MIN_CLUSTERS, type TwoParts } from "./factor.ts";
import type { Interval } from "./result.ts";

export interface RatioDifference {
  /** Σ sums / Σ sizes − Σ otherSums / Σ otherSizes; NaN if a part is empty. */
  readonly difference: number;
  /** 95 %; null if either part has fewer than {@link MIN_CLUSTERS} clusters. */
  readonly interval: Interval | null;
  /** Number of clusters with at least one of the parts. */
  readonly clusters: number;
}

/**
 * A cluster may have both parts: one prompt's samples under two settings, or the same tokens scored twice. What they
 * share then cancels, so that the interval of a paired difference is as narrow as the pairing allows.
 *
 * The interval is that of `clusterInterval`; the influence of a cluster on the difference is e_g/Σ sizes of the first
 * part minus the same for the other, where e_g = x_g − R·n_g (linearized ratio, Cochran, "Sampling Techniques", 1977,
 * section 6.3).
 */
export function clusteredRatioDifference({ sums, sizes, otherSums, otherSizes }: TwoParts): RatioDifference {
  const first = addPart(sums, sizes);
  const second = addPart(otherSums, otherSizes);
  const difference = first.ratio - second.ratio;
  const influences: number[] = [];
  for (let g = 0; g < sums.length; g++) {
    if (sizes[g] === 0 && otherSizes[g] === 0) continue;
    const own = (sums[g]! - first.ratio * sizes[g]!) / first.size;
    const other = (otherSums[g]! - second.ratio * otherSizes[g]!) / second.size;
    influences.push(own - other);
  }
  const isEnough = Math.min(first.clusters, second.clusters) >= MIN_CLUSTERS;
  return {
    difference,
    interval: isEnough ? computeInterval(difference, Float64Array.from(influences)) : null,
    clusters: influences.length,
  };
}

/** Two copies of one run have no difference and no variance: `clusterInterval` would divide 0 by 0. */
function computeInterval(difference: number, influences: Float64Array): Interval {
  if (influences.every((influence) => influence === 0)) return { low: difference, high: difference };
  return clusterInterval(difference, influences, "linear");
}

function addPart(sums: Float64Array, sizes: Float64Array): { ratio: number; size: number; clusters: number } {
  let [sum, size, clusters] = [0, 0, 0];
  for (let g = 0; g < sums.length; g++) {
    if (sizes[g] === 0) continue;
    clusters++;
    sum += sums[g]!;
    size += sizes[g]!;
  }
  return { ratio: sum / size, size, clusters };
}
