/**
 * Properties of the data, whatever the correction.
 *
 * @module
 */

import { WHOLE } from "../../core/base/index.ts";
import {
  BinnedSums,
  COUNT_ARRAY,
  counts,
  exactSums,
  layoutOf,
  maxima,
  part,
  Sums,
  TWOFOLD_DELTA,
} from "../../core/summaries/index.ts";
import type { SequenceColumns } from "./accumulate.ts";
import { LENGTH_BUCKETS, TURN_BUCKETS, turnBucket } from "./buckets.ts";
import type { MeasuredBatch } from "./measured.ts";
import type { Prepared } from "./prepared.ts";

/** verl clamps ΣΔ to this before exp. */
const PRODUCT_LOG_BOUND = 20;

/** Count, mean and variance over tokens, of a figure that sequences have. */
class TokenMoments extends Sums {
  static readonly layout = layoutOf<TokenMoments>({
    count: counts(["count"]),
    sums: part(exactSums(2), (moments) => moments.#sums),
  });
  count = 0;
  /** Σ value and Σ value², summed so that order has no effect. */
  readonly #sums = new BinnedSums(2);

  add(tokens: number, value: number): void {
    this.count += tokens;
    this.#sums.add(0, tokens * value);
    this.#sums.add(1, tokens * value * value);
  }

  get mean(): number {
    return this.sum / this.count;
  }

  get sum(): number {
    return this.#sums.value(0);
  }

  get deviation(): number {
    return Math.sqrt(Math.max(0, this.#sums.value(1) / this.count - this.mean ** 2));
  }
}

const COUNTS = [
  "sequences",
  "sequencesEmpty",
  "tokens",
  "outside",
  "positive",
  "negative",
  "advantages",
] as const;
const REASONS = ["delta_negative_infinite", "delta_positive_infinite", "missing"] as const;

export class Totals extends Sums {
  static readonly layout = layoutOf<Totals>({
    counts: counts(COUNTS),
    turnsMax: maxima(["turnsMax"], WHOLE),
    products: part(exactSums(2), (totals) => totals.#products),
    rewards: part(TokenMoments.layout, (totals) => totals.rewards),
    correctness: part(TokenMoments.layout, (totals) => totals.correctness),
    sequencesByLength: part(COUNT_ARRAY, (totals) => totals.sequencesByLength),
    tokensByLength: part(COUNT_ARRAY, (totals) => totals.tokensByLength),
    tokensByTurn: part(COUNT_ARRAY, (totals) => totals.tokensByTurn),
    excluded: part(counts(REASONS), (totals) => totals.excluded),
  });
  sequences = 0;
  sequencesEmpty = 0;
  tokens = 0;
  turnsMax = 0;
  /** Tokens with ρ outside [1/2, 2]. */
  outside = 0;
  /** Σ and Σ² of the sequences' product ratios. */
  readonly #products = new BinnedSums(2);
  readonly rewards = new TokenMoments();
  readonly correctness = new TokenMoments();
  /** Tokens with a positive, with a negative, and with any advantage. */
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
    for (const reason of REASONS) this.excluded[reason] += prepared.excluded[reason];
    const products = measured.logValues("sequence", { statistic: "ratio" }, "sum");
    for (let i = 0; i < prepared.sequences; i++) {
      const length = prepared.lengths[i]!;
      this.tokens += length;
      this.sequencesByLength[columns.lengthBuckets[i]!]!++;
      this.tokensByLength[columns.lengthBuckets[i]!]! += length;
      const product = Math.exp(Math.max(-PRODUCT_LOG_BOUND, Math.min(products[i]!, PRODUCT_LOG_BOUND)));
      this.#products.add(0, product);
      this.#products.add(1, product * product);
      const reward = columns.rewards[i]!;
      if (!Number.isNaN(reward)) this.rewards.add(length, reward);
      const correct = columns.correctness[i]!;
      if (!Number.isNaN(correct)) this.correctness.add(length, correct);
    }
    this.#addTurns(prepared);
    if (hasAdvantages) this.#addAdvantages(prepared);
    for (const delta of measured.tailLogRatios({ statistic: "ratio" }))
      if (Math.abs(Math.fround(delta)) >= TWOFOLD_DELTA) this.outside++;
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

  /** Sum over the sequences' product ratios. */
  get productSum(): number {
    return this.#products.value(0);
  }

  get productSquares(): number {
    return this.#products.value(1);
  }
}
