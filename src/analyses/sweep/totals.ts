/**
 * What the data is, whatever the correction.
 *
 * @module
 */

import type { SequenceColumns } from "./accumulate.ts";
import { LENGTH_BUCKETS, TURN_BUCKETS, turnBucket } from "./buckets.ts";
import { addInto } from "./correction-sums.ts";
import type { MeasuredBatch } from "./measured.ts";
import type { Prepared } from "./prepared.ts";

/** As verl clamps ΣΔ before exp. */
export const PRODUCT_LOG_BOUND = 20;

/** Count, mean and variance over tokens, of a figure that sequences have. */
class TokenMoments {
  count = 0;
  #sum = 0;
  #squares = 0;

  add(tokens: number, value: number): void {
    this.count += tokens;
    this.#sum += tokens * value;
    this.#squares += tokens * value * value;
  }

  merge(other: TokenMoments): void {
    this.count += other.count;
    this.#sum += other.#sum;
    this.#squares += other.#squares;
  }

  get mean(): number {
    return this.#sum / this.count;
  }

  get sum(): number {
    return this.#sum;
  }

  get deviation(): number {
    return Math.sqrt(Math.max(0, this.#squares / this.count - this.mean ** 2));
  }
}

export class Totals {
  sequences = 0;
  sequencesEmpty = 0;
  tokens = 0;
  turnsMax = 0;
  /** Tokens with ρ outside [1/2, 2]. */
  outside = 0;
  /** Of the sequences' product ratios. */
  productSum = 0;
  productSquares = 0;
  readonly rewards = new TokenMoments();
  readonly correctness = new TokenMoments();
  /** Tokens with a positive and with a negative advantage, and with any. */
  positive = 0;
  negative = 0;
  advantages = 0;
  readonly sequencesByLength = new Float64Array(LENGTH_BUCKETS);
  readonly tokensByLength = new Float64Array(LENGTH_BUCKETS);
  readonly tokensByTurn = new Float64Array(TURN_BUCKETS);
  readonly excluded = { delta_negative_infinite: 0, delta_positive_infinite: 0, missing: 0 };

  add(measured: MeasuredBatch, columns: SequenceColumns, hasAdvantages: boolean): void {
    const { prepared } = measured;
    this.sequences += prepared.sequences + prepared.emptyRows.length;
    this.sequencesEmpty += prepared.emptyRows.length;
    for (const reason of ["delta_negative_infinite", "delta_positive_infinite", "missing"] as const)
      this.excluded[reason] += prepared.excluded[reason];
    const products = measured.logValues("sequence", { statistic: "ratio" }, "sum");
    for (let i = 0; i < prepared.sequences; i++) {
      const length = prepared.lengths[i]!;
      this.tokens += length;
      this.sequencesByLength[columns.lengthBuckets[i]!]!++;
      this.tokensByLength[columns.lengthBuckets[i]!]! += length;
      const product = Math.exp(Math.max(-PRODUCT_LOG_BOUND, Math.min(products[i]!, PRODUCT_LOG_BOUND)));
      this.productSum += product;
      this.productSquares += product * product;
      const reward = columns.rewards[i]!;
      if (!Number.isNaN(reward)) this.rewards.add(length, reward);
      const correct = columns.correctness[i]!;
      if (!Number.isNaN(correct)) this.correctness.add(length, correct);
    }
    this.#addTurns(prepared);
    if (hasAdvantages) this.#addAdvantages(prepared);
    for (const ratio of measured.tailValues({ statistic: "ratio" }))
      if (ratio < 0.5 || ratio > 2) this.outside++;
  }

  #addTurns({ turns, turnIndex, turnLengths }: Prepared): void {
    for (let turn = 0; turn < turns; turn++) {
      this.tokensByTurn[turnBucket(turnIndex[turn]!)]! += turnLengths[turn]!;
      this.turnsMax = Math.max(this.turnsMax, turnIndex[turn]! + 1);
    }
  }

  #addAdvantages({ core, tail }: Prepared): void {
    for (let turn = 0; turn < core.count.length; turn++) {
      this.positive += core.positive[turn]!;
      this.negative += core.negative[turn]!;
      this.advantages += core.count[turn]!;
    }
    this.advantages += tail.count;
    for (const advantage of tail.advantage) {
      if (advantage > 0) this.positive++;
      else if (advantage < 0) this.negative++;
    }
  }

  merge(other: Totals): void {
    this.sequences += other.sequences;
    this.sequencesEmpty += other.sequencesEmpty;
    this.tokens += other.tokens;
    this.turnsMax = Math.max(this.turnsMax, other.turnsMax);
    this.outside += other.outside;
    this.productSum += other.productSum;
    this.productSquares += other.productSquares;
    this.rewards.merge(other.rewards);
    this.correctness.merge(other.correctness);
    this.positive += other.positive;
    this.negative += other.negative;
    this.advantages += other.advantages;
    addInto(this.sequencesByLength, other.sequencesByLength);
    addInto(this.tokensByLength, other.tokensByLength);
    addInto(this.tokensByTurn, other.tokensByTurn);
    for (const reason of ["delta_negative_infinite", "delta_positive_infinite", "missing"] as const)
      this.excluded[reason] += other.excluded[reason];
  }
}
