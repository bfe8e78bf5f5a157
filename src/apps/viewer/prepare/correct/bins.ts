/**
 * Sums over bins of Δ, from which the page draws what a threshold would do while it is dragged.
 *
 * @module
 */

import {
  LENGTH_BUCKETS,
  lengthBucket,
  lengthQuartiles,
  rewardGroups,
  roundedReward,
} from "../../../../analyses/sweep/index.ts";
import type { CorrectBins, ValueGroup } from "../../../../results/view.ts";
import type { PackedTokens } from "../pass/packed-tokens.ts";

/** Inner edges are ±SMALL · (e^(i · STEP) − 1), i = 0 … SIDE: 2e-5 nats wide at 0, 2 % of Δ at ±LARGEST. */
const SIDE = 511;
const SMALL = 1e-3;
const LARGEST = 20;
const STEP = Math.log1p(LARGEST / SMALL) / SIDE;
const INNER = Float64Array.from({ length: 2 * SIDE + 1 }, (_, i) => {
  const at = i - SIDE;
  return Math.sign(at) * SMALL * Math.expm1(Math.abs(at) * STEP);
});
const BINS = INNER.length + 1;
const NAMES = ["right", "wrong", "unknown"] as const;

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);
/**
 * A logarithm per token would cost more than everything else, so a table has the bin of the lowest Δ of each cell: of
 * those that share sign, exponent and seven bits of the mantissa. Cells are less than 0.8 % wide, so none has two edges.
 */
const CELL_SHIFT = 16;
/** The cell of Infinity; with the sign bit, of -Infinity. */
const INFINITE = 0x7f80;
const SIGN = 0x8000;
const LOWEST = new Uint16Array(2 ** 16);
/** Where each bin ends; nothing reaches NaN, the end of the last one. */
const ENDS = Float64Array.of(...INNER, Number.NaN);

function fillLowest(): void {
  let bin = 0;
  const fill = (cell: number, lowest: number): void => {
    // Doubles that single precision rounds into the cell may be a little lower.
    const least = lowest - Math.abs(lowest) * 2 ** -23;
    while (least >= ENDS[bin]!) bin++;
    LOWEST[cell] = bin;
  };
  const read = (bits: number): number => {
    word[0] = bits;
    return float[0]!;
  };
  // In ascending order. -Infinity is in the first bin, as the table has it.
  for (let cell = INFINITE - 1; cell >= 0; cell--)
    fill(SIGN | cell, read(((SIGN | cell) << CELL_SHIFT) | 0xffff));
  for (let cell = 0; cell < INFINITE; cell++) fill(cell, read(cell << CELL_SHIFT));
  LOWEST[INFINITE] = BINS - 1;
}
fillLowest();

/** Bin i holds Δ in `[edges[i], edges[i + 1])`; the first and last are open. */
export function findBin(delta: number): number {
  float[0] = delta;
  const bin = LOWEST[word[0]! >>> CELL_SHIFT]!;
  return bin + (delta >= ENDS[bin]! ? 1 : 0);
}

interface Sums {
  readonly tokens: Float64Array;
  readonly rho: Float64Array;
  readonly rhoSquares: Float64Array;
  readonly absAdvantage: Float64Array;
}

/** The tokens, by bin, of the sequences of a range of lengths or rewards. */
interface Bucket {
  sequences: number;
  readonly tokens: Float64Array;
}

export class BinBuilder {
  readonly #lengths = new Map<number, Bucket>();
  /** By rounded reward. */
  readonly #rewards = new Map<number, Bucket>();
  /** Bins of the open sequence's tokens. */
  #open = new Uint16Array(1024);
  #length = 0;
  #judged = false;
  readonly #groups = NAMES.map((): Sums => {
    const sums = (): Float64Array => new Float64Array(BINS);
    return { tokens: sums(), rho: sums(), rhoSquares: sums(), absAdvantage: sums() };
  });

  /**
   * Tokens with mask 1 of one sequence, the first `count` of each array.
   *
   * @param correct of the sequence, NaN if not known
   * @param advantages NaN for unknown ones; undefined if none is known
   */
  addTokens(
    correct: number,
    { deltas, rhos, count }: Pick<PackedTokens, "deltas" | "rhos" | "count">,
    advantages?: ArrayLike<number>,
  ): void {
    if (count === 0) return;
    const { tokens, rho: rhoSums, rhoSquares, absAdvantage } = this.#groups[findGroup(correct)]!;
    if (!Number.isNaN(correct)) this.#judged = true;
    this.#makeRoom(this.#length + count);
    const open = this.#open;
    const first = this.#length;
    for (let i = 0; i < count; i++) {
      const bin = findBin(deltas[i]!);
      const rho = rhos[i]!;
      tokens[bin]!++;
      rhoSums[bin]! += rho;
      rhoSquares[bin]! += rho * rho;
      open[first + i] = bin;
    }
    this.#length += count;
    for (let i = 0; advantages !== undefined && i < count; i++) {
      const advantage = advantages[i]!;
      if (!Number.isNaN(advantage)) absAdvantage[open[first + i]!]! += Math.abs(advantage);
    }
  }

  #makeRoom(length: number): void {
    if (length <= this.#open.length) return;
    const wider = new Uint16Array(2 * length);
    wider.set(this.#open.subarray(0, this.#length));
    this.#open = wider;
  }

  /** Ends a sequence: the tokens added since the last one belong to it. Its reward is NaN where unknown. */
  endSequence(reward: number): void {
    const length = this.#length;
    if (length === 0) return;
    this.#length = 0;
    const into = [getBucket(this.#lengths, lengthBucket(length))];
    if (!Number.isNaN(reward)) into.push(getBucket(this.#rewards, roundedReward(reward)));
    for (const bucket of into) {
      bucket.sequences++;
      for (let t = 0; t < length; t++) bucket.tokens[this.#open[t]!]!++;
    }
  }

  /**
   * Groups with a token in them. Sums that overflow are the largest number: JSON has no infinity.
   *
   * @param rewards Groups of rewards to use; by default those of these sequences.
   */
  finish(rewards: readonly ValueGroup[] = this.#rewardGroups()): CorrectBins {
    const finite = (sums: Float64Array): number[] =>
      Array.from(sums, (sum) => Math.min(sum, Number.MAX_VALUE));
    const counts = new Float64Array(LENGTH_BUCKETS);
    for (const [bucket, { sequences }] of this.#lengths) counts[bucket] = sequences;
    return {
      edges: [null, ...INNER, null],
      groups: this.#groups.flatMap(({ tokens, rho, rhoSquares, absAdvantage }, i) => {
        if (!tokens.some((count) => count > 0)) return [];
        return {
          name: NAMES[i]!,
          tokens: [...tokens],
          rho: finite(rho),
          rho_squares: finite(rhoSquares),
          abs_advantage: finite(absAdvantage),
        };
      }),
      by_length: lengthQuartiles(counts).map(({ first, last, from, to }) => ({
        from,
        to,
        tokens: tokensBetween(this.#lengths, first, last),
      })),
      by_reward: rewards.map(({ from, to }) => ({
        from,
        to,
        tokens: tokensBetween(this.#rewards, from, to),
      })),
    };
  }

  /** Empty if the rewards only repeat right and wrong. */
  #rewardGroups(): ValueGroup[] {
    const isMore = [...this.#rewards.keys()].some((reward) => reward !== 0 && reward !== 1);
    if (!isMore && this.#judged) return [];
    return rewardGroups(new Map([...this.#rewards].map(([reward, { sequences }]) => [reward, sequences])));
  }
}

function getBucket(buckets: Map<number, Bucket>, key: number): Bucket {
  const known = buckets.get(key) ?? { sequences: 0, tokens: new Float64Array(BINS) };
  buckets.set(key, known);
  return known;
}

function tokensBetween(buckets: ReadonlyMap<number, Bucket>, from: number, to: number): number[] {
  const sums = new Array<number>(BINS).fill(0);
  for (const [key, { tokens }] of buckets)
    if (key >= from && key <= to) for (let bin = 0; bin < BINS; bin++) sums[bin]! += tokens[bin]!;
  return sums;
}

function findGroup(correct: number): number {
  if (Number.isNaN(correct)) return 2;
  return correct > 0 ? 0 : 1;
}
