/**
 * Whether one of many groups stands out: a permutation test on the largest standardized group sum. Testing the worst
 * of fifty steps as if it were the only one finds a "worst step" in every run; the worst must exceed the largest of
 * the permuted runs (Westfall and Young, "Resampling-Based Multiple Testing", 1993).
 *
 * @module
 */
import { nextState, toInteger } from "./random.ts";

export interface GroupedUnits {
  /** `[units]`: what is summed, such as e = Σ|Δ| − R·n of a prompt (R: mean |Δ| of the run, n: its tokens). */
  readonly values: Float64Array;
  /** `[units]`: the group of each, from 0. */
  readonly groups: Int32Array;
  readonly groupCount: number;
  /**
   * `[blocks + 1]`: units are permuted only within `[blocks[i], blocks[i + 1])`, such as the turns of one sequence. Blocks
   * cover all units; one block when absent.
   */
  readonly blocks?: Int32Array;
}

export interface MaxStatistic {
  /** `[groups]`: (sum − its mean under permutation) / its standard deviation; 0 where permuting cannot change it. */
  readonly z: Float64Array;
  /**
   * `[groups]`: share of permutations, the observed order among them, in which the largest z of any group is at least
   * this group's. Right for all groups together: under the null any p ≤ 0.05 occurs in 5 % of runs at most.
   */
  readonly p: Float64Array;
  readonly permutations: number;
}

export const PERMUTATIONS = 399;
/** Once this many permutations have beaten the largest group, no p can come out at 0.05 or below (Besag and Clifford 1991). */
const ENOUGH_BEATEN = PERMUTATIONS / 20;

/** One-sided: groups whose sums are larger than chance would have them. */
export function maxStatisticTest(units: GroupedUnits, seed = 1): MaxStatistic {
  const { values, groups, groupCount } = units;
  const blocks = units.blocks ?? Int32Array.of(0, values.length);
  const { mean, deviation } = computeMoments(units, blocks);
  const standardised = (sums: Float64Array, group: number): number => {
    const scale = deviation[group] as number;
    // A spread that is only rounding says nothing.
    return scale > 0 ? ((sums[group] as number) - (mean[group] as number)) / scale : 0;
  };
  const largest = (sums: Float64Array): number => {
    let most = Number.NEGATIVE_INFINITY;
    for (let group = 0; group < groupCount; group++)
      if ((deviation[group] as number) > 0) most = Math.max(most, standardised(sums, group));
    return most;
  };

  const observed = new Float64Array(groupCount);
  for (const [i, group] of groups.entries())
    observed[group] = (observed[group] as number) + (values[i] as number);
  const z = Float64Array.from({ length: groupCount }, (_, group) => standardised(observed, group));
  const worst = z.reduce((a, b) => Math.max(a, b), 0);
  const beaten = new Float64Array(groupCount).fill(1);
  const shuffled = Float64Array.from(values);
  const sums = new Float64Array(groupCount);
  let state = seed | 0;
  // Equal sums added in another order differ in their last bits, but count as equal.
  const slack = 1e-9 * (1 + worst);
  let done = 0;
  for (let overall = 0; done < PERMUTATIONS && overall < ENOUGH_BEATEN; done++) {
    state = permute(shuffled, { groups, blocks, sums }, state);
    const most = largest(sums) + slack;
    if (most >= worst) overall++;
    for (let group = 0; group < groupCount; group++)
      if (most >= (z[group] as number)) beaten[group] = (beaten[group] as number) + 1;
  }
  const p = beaten.map((count, group) => ((deviation[group] as number) > 0 ? count / (done + 1) : 1));
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
    const [from, to] = [blocks[block] as number, blocks[block + 1] as number];
    const size = to - from;
    if (size === 0) continue;
    let sum = 0;
    for (let i = from; i < to; i++) {
      sum += values[i] as number;
      places[groups[i] as number] = (places[groups[i] as number] as number) + 1;
    }
    const average = sum / size;
    let squares = 0;
    for (let i = from; i < to; i++) squares += ((values[i] as number) - average) ** 2;
    const spread = size > 1 ? squares / (size - 1) : 0;
    for (let i = from; i < to; i++) {
      const group = groups[i] as number;
      const m = places[group] as number;
      if (m === 0) continue;
      mean[group] = (mean[group] as number) + m * average;
      variance[group] = (variance[group] as number) + m * (1 - m / size) * spread;
      places[group] = 0;
    }
  }
  return { mean, deviation: variance.map(Math.sqrt) };
}

interface Permutation {
  readonly groups: Int32Array;
  readonly blocks: Int32Array;
  /** `[groups]`: overwritten. */
  readonly sums: Float64Array;
}

/**
 * Permutes the values of each block (Fisher and Yates) and sums their groups: a value is added once it has its place. Takes
 * and returns the state of the random numbers.
 */
function permute(values: Float64Array, { groups, blocks, sums }: Permutation, before: number): number {
  let state = before;
  sums.fill(0);
  for (let block = 0; block + 1 < blocks.length; block++) {
    const from = blocks[block] as number;
    for (let left = (blocks[block + 1] as number) - from; left > 0; left--) {
      const last = from + left - 1;
      let taken = values[last] as number;
      if (left > 1) {
        state = nextState(state);
        const other = from + toInteger(state, left);
        const value = taken;
        taken = values[other] as number;
        values[other] = value;
        values[last] = taken;
      }
      const group = groups[last] as number;
      sums[group] = (sums[group] as number) + taken;
    }
  }
  return state;
}
