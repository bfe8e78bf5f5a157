/**
 * Whether one of many groups stands out: a permutation test on the largest standardized group sum. Testing the worst
 * of fifty steps as if it were the only one finds a "worst step" in every run; the worst must exceed the largest of
 * the permuted runs (Westfall and Young, "Resampling-Based Multiple Testing", 1993).
 *
 * @module
 */
import { createPermuter, type GroupedUnits, listBlocks } from "./permutations.ts";

export interface MaxStatistic {
  /** `[groups]`: (sum − its mean under permutation) / its standard deviation; 0 if permuting cannot change it. */
  readonly z: Float64Array;
  /**
   * `[groups]`: share of permutations, including the observed order, in which the largest z of any group is at least
   * this group's. Adjusted for all groups together: under the null any p ≤ 0.05 occurs in at most 5 % of runs.
   */
  readonly p: Float64Array;
  readonly permutations: number;
}

const PERMUTATIONS = 399;
/** Once this many permutations have beaten the largest group, no p can be 0.05 or below (Besag and Clifford 1991). */
const ENOUGH_BEATEN = PERMUTATIONS / 20;

/** One-sided: tests for groups whose sums are larger than by chance. */
export function maxStatisticTest(units: GroupedUnits, seed = 1): MaxStatistic {
  const { values, groups, groupCount } = units;
  const { mean, deviation } = computeMoments(units, listBlocks(units));
  const standardised = (sums: Float64Array, group: number): number => {
    const scale = deviation[group]!;
    // A spread that is only rounding has no meaning.
    return scale > 0 ? (sums[group]! - mean[group]!) / scale : 0;
  };
  const largest = (sums: Float64Array): number => {
    let most = Number.NEGATIVE_INFINITY;
    for (let group = 0; group < groupCount; group++)
      if (deviation[group]! > 0) most = Math.max(most, standardised(sums, group));
    return most;
  };

  const observed = new Float64Array(groupCount);
  // By index: until a loop is compiled, entries() allocates two objects per unit.
  for (let i = 0; i < groups.length; i++) observed[groups[i]!]! += values[i]!;
  const z = Float64Array.from({ length: groupCount }, (_, group) => standardised(observed, group));
  const worst = z.reduce((a, b) => Math.max(a, b), 0);
  const beaten = new Float64Array(groupCount).fill(1);
  const permuter = createPermuter(units, seed);
  // Equal sums added in a different order differ in their last bits, but count as equal.
  const slack = 1e-9 * (1 + worst);
  let done = 0;
  for (let overall = 0; done < PERMUTATIONS && overall < ENOUGH_BEATEN; ) {
    const count = Math.min(permuter.round, PERMUTATIONS - done);
    const sums = permuter.next(count);
    for (let i = 0; i < count && overall < ENOUGH_BEATEN; i++, done++) {
      const most = largest(sums.subarray(i * groupCount, (i + 1) * groupCount)) + slack;
      if (most >= worst) overall++;
      for (let group = 0; group < groupCount; group++)
        if (most >= z[group]!) beaten[group] = beaten[group]! + 1;
    }
  }
  const p = beaten.map((count, group) => (deviation[group]! > 0 ? count / (done + 1) : 1));
  return { z, p, permutations: done };
}

/**
 * Mean and variance of group sums when the values of each block are permuted: with m of a block's T places and the
 * block's variance s² (divisor T − 1), the mean is m·v̄ and the variance m·(1 − m/T)·s²; blocks add up (Cochran,
 * "Sampling Techniques", 1977, section 2.5: sampling without replacement).
 */
function computeMoments(
  { values, groups, groupCount }: GroupedUnits,
  blocks: Int32Array,
): { mean: Float64Array; deviation: Float64Array } {
  const mean = new Float64Array(groupCount);
  const variance = new Float64Array(groupCount);
  const places = new Float64Array(groupCount);
  for (let block = 0; block + 1 < blocks.length; block++) {
    const [from, to] = [blocks[block]!, blocks[block + 1]!];
    const size = to - from;
    if (size === 0) continue;
    let sum = 0;
    for (let i = from; i < to; i++) {
      sum += values[i]!;
      places[groups[i]!] = places[groups[i] as number]! + 1;
    }
    const average = sum / size;
    let squares = 0;
    for (let i = from; i < to; i++) squares += (values[i]! - average) ** 2;
    const spread = size > 1 ? squares / (size - 1) : 0;
    for (let i = from; i < to; i++) {
      const group = groups[i]!;
      const m = places[group]!;
      if (m === 0) continue;
      mean[group] = mean[group]! + m * average;
      variance[group] = variance[group]! + m * (1 - m / size) * spread;
      places[group] = 0;
    }
  }
  return { mean, deviation: variance.map(Math.sqrt) };
}
