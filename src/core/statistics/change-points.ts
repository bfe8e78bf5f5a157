/**
 * Where a series of levels jumps, in the presence of noise that is alike from one value to the next.
 *
 * A jump at k is judged by D, the mean of up to 32 values from k on minus the mean of up to 32 values before k, over
 * its standard deviation. Its variance has two parts: what is known of each value (its sampling variance, independent),
 * and what values have beyond that (a step's own effect, which may last). The second part is learned for each width
 * from the D at all places, by their median, so that neither a few jumps nor autocorrelation distort it; short series
 * are supplemented with {@link PRIOR_WEIGHT} imaginary values. A mean over local windows asks whether the level
 * *jumps*: a slow drift does not.
 *
 * Related: MOSUM (Eichinger and Kirch, "A MOSUM procedure for the estimation of multiple random change points", Bernoulli
 * 24, 2018), here with several widths on either side, as in Messer et al., "A multiple filter test", Annals of Applied
 * Statistics 8 (2014).
 *
 * @module
 */

import { studentQuantile } from "./mean-bound.ts";
import { median } from "./median.ts";

/** Largest chance that a series without a jump is cut; measured in docs/statistics.md. */
export const CUT_RATE = 0.05;

/** Widths of the windows; 32 values distinguish a jump by a factor of 1.3 from noise of 30 %. */
const WIDTHS = [1, 2, 4, 8, 16, 32] as const;
const WIDEST = 32;

/** Values' own effects that do not count as a jump if there are too few values to learn from: sd of each, 30 %. */
const PRIOR_VARIANCE = 0.3 ** 2;
/** Autocorrelation that such effects may have. */
const PRIOR_CORRELATION = 0.9;
const PRIOR_WEIGHT = 3;
/** How certain that prior is, in degrees of freedom of Student's t. */
const FREEDOM = 30;

/** The median of |x| of normal numbers, in standard deviations. */
const NORMAL_MEDIAN = 0.6745;

/** How much another pair of widths adds to the number of looks at a place: most of it repeats the others. */
const LOOKS = 1 / 6;

/**
 * @param values levels in order, such as logarithms of means
 * @param variances the uncertainty of each by itself, as a variance
 * @returns indices at which a new level starts, ascending; never 0
 */
export function findChangePoints(values: ArrayLike<number>, variances: ArrayLike<number>): number[] {
  return new Search(values, variances).find();
}

/** The variance of the difference of two windows beyond the sampling of its values. */
interface Spread {
  readonly width: number;
  readonly variance: number;
  /** |D| in standard deviations from which it is a jump. */
  readonly threshold: number;
}

class Search {
  readonly #count: number;
  /** `[count + 1]`: prefix sums. */
  readonly #sums: Float64Array;
  readonly #variances: Float64Array;
  readonly #spreads: readonly Spread[];

  constructor(values: ArrayLike<number>, variances: ArrayLike<number>) {
    this.#count = values.length;
    this.#sums = sumBefore(values);
    this.#variances = sumBefore(variances);
    this.#spreads = this.#learn();
  }

  /**
   * Narrow windows say more about the variance of wide ones than the few wide ones there are: at most twice as much.
   */
  #learn(): Spread[] {
    const fitting = WIDTHS.filter((width) => 2 * width <= this.#count).length;
    const tail = CUT_RATE / (2 * (1 + LOOKS * fitting ** 2) * this.#count);
    let most = Number.POSITIVE_INFINITY;
    return WIDTHS.map((width) => {
      const places = Math.max(0, this.#count - 2 * width + 1);
      const weight = places / (4 * width);
      const expected = Math.min(most, priorVariance(width));
      // One jump is in half of the few differences of a short series.
      const credible = (1 + weight) * priorVariance(width);
      const seen = places === 0 ? 0 : Math.min(credible, this.#measureExcess(width, places));
      const variance = (PRIOR_WEIGHT * expected + weight * seen) / (PRIOR_WEIGHT + weight);
      most = 2 * variance;
      return { width, variance, threshold: studentQuantile(tail, FREEDOM + weight) };
    });
  }

  #measureExcess(width: number, places: number): number {
    const distances = new Float64Array(places);
    const sampling = new Float64Array(places);
    for (let at = 0; at < places; at++) {
      distances[at] = Math.abs(this.#difference(at + width, width, width));
      sampling[at] = this.#sampling(at + width, width, width);
    }
    return Math.max(0, (median(distances) / NORMAL_MEDIAN) ** 2 - median(sampling));
  }

  #difference(at: number, before: number, after: number): number {
    const [sums, here] = [this.#sums, this.#sums[at]!];
    return (sums[at + after]! - here) / after - (here - sums[at - before]!) / before;
  }

  #sampling(at: number, before: number, after: number): number {
    const [sums, here] = [this.#variances, this.#variances[at]!];
    return (sums[at + after]! - here) / after ** 2 + (here - sums[at - before]!) / before ** 2;
  }

  /** Takes the clearest jump, then examines its neighborhood again: windows contain no cut. */
  find(): number[] {
    const cuts = new Uint8Array(this.#count + 1).fill(1, this.#count);
    const scores = new MaxTree(this.#count);
    this.#score(scores, cuts, 1, this.#count);
    for (let at = scores.best(); scores.at(at) >= 1; at = scores.best()) {
      cuts[at] = 1;
      this.#score(scores, cuts, Math.max(1, at - WIDEST), Math.min(this.#count, at + WIDEST));
    }
    return Array.from({ length: this.#count }, (_, at) => at).filter((at) => cuts[at] === 1);
  }

  #score(scores: MaxTree, cuts: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      let [before, after] = [1, 1];
      while (before < WIDEST && before < at && cuts[at - before] === 0) before++;
      while (after < WIDEST && cuts[at + after] === 0) after++;
      scores.set(at, cuts[at] === 1 ? 0 : this.#judge(at, before, after));
    }
  }

  /** The clearest D of a place, in thresholds. */
  #judge(at: number, roomBefore: number, roomAfter: number): number {
    let best = 0;
    for (const left of this.#spreads) {
      const before = Math.min(left.width, roomBefore);
      for (const right of this.#spreads) {
        const after = Math.min(right.width, roomAfter);
        const variance = this.#sampling(at, before, after) + (left.variance + right.variance) / 2;
        const score =
          Math.abs(this.#difference(at, before, after)) /
          Math.sqrt(variance) /
          Math.max(left.threshold, right.threshold);
        if (score > best) best = score;
        if (right.width >= roomAfter) break;
      }
      if (left.width >= roomBefore) break;
    }
    return best;
  }
}

/** Variance of D between windows of this width: from effects that last, or do not. */
function priorVariance(width: number): number {
  const drift = (2 * (1 - PRIOR_CORRELATION) * (2 * width * width + 1)) / (3 * width);
  return PRIOR_VARIANCE * Math.min(2, Math.max(2 / width, drift));
}

function sumBefore(values: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) sums[i + 1] = sums[i]! + values[i]!;
  return sums;
}

/** Non-negative numbers with their maximum always known; the first one among equals. */
class MaxTree {
  readonly #leaves: number;
  /** Node i is the larger of nodes 2i and 2i + 1. */
  readonly #nodes: Float64Array;

  constructor(count: number) {
    this.#leaves = 2 ** Math.ceil(Math.log2(Math.max(1, count)));
    this.#nodes = new Float64Array(2 * this.#leaves);
  }

  at(index: number): number {
    return this.#nodes[this.#leaves + index]!;
  }

  set(index: number, value: number): void {
    let node = this.#leaves + index;
    this.#nodes[node] = value;
    for (node >>= 1; node > 0; node >>= 1)
      this.#nodes[node] = Math.max(this.#nodes[2 * node]!, this.#nodes[2 * node + 1]!);
  }

  best(): number {
    let node = 1;
    while (node < this.#leaves) {
      node *= 2;
      if (this.#nodes[node]! < this.#nodes[node + 1]!) node++;
    }
    return node - this.#leaves;
  }
}
