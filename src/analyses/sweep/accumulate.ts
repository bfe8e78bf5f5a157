/**
 * Adds the result of one correction on a batch to that correction's sums.
 *
 * ```
 *  per sequence:   per turn:   core (one weight, or each its own ratio) ─┐
 *                              tail (each its own weight) ───────────────┤
 *                                            dropped ─► by turn, length  │
 *                  sequence closed ◄── mass, squares, kept, moved … ◄────┘
 *                        └─► CorrectionSums (all) and WeightSums (by the trainer's batch where weights are normalized)
 * ```
 *
 * @module
 */
import { turnBucket } from "./buckets.ts";
import type { CorrectionSums, WeightSums } from "./correction-sums.ts";
import type { Evaluation, Slots } from "./evaluate.ts";
import type { MeasuredBatch } from "./measured.ts";
import type { Prepared } from "./prepared.ts";
import { ALL } from "./run-sums.ts";

/** What a batch's sequences look like to every correction, `[sequences]`. */
export interface SequenceColumns {
  /** NaN where unknown. */
  readonly rewards: Float64Array;
  readonly correctness: Float64Array;
  readonly lengthBuckets: Int32Array;
  readonly slots: Slots;
  /** The trainer's batch (step) of each slot. */
  readonly batches: readonly number[];
}

export interface AccumulateOptions {
  readonly weighted: boolean;
  readonly normalized: boolean;
  /** Called with 1 or 0 for every sequence. */
  readonly onSequence: (sequence: number, kept: boolean) => void;
}

export function accumulate(
  sums: CorrectionSums,
  measured: MeasuredBatch,
  evaluation: Evaluation,
  columns: SequenceColumns,
  options: AccumulateOptions,
): void {
  new Accumulation(sums, measured, evaluation, columns, options).run();
}

class Accumulation {
  readonly #sums: CorrectionSums;
  readonly #prepared: Prepared;
  readonly #evaluation: Evaluation;
  readonly #columns: SequenceColumns;
  readonly #options: AccumulateOptions;
  readonly #tailDeltas: Float64Array;
  readonly #tailRatios: Float64Array;
  /** The sums that a `normalize` step will divide: per trainer batch, or one for everything. */
  readonly #bySlot: readonly WeightSums[];
  // Of the sequence that is open.
  #kept = 0;
  #mass = 0;
  #square = 0;
  #lossMass = 0;
  #largest = 0;
  #rawMass = 0;
  #moved = 0;
  #deltas = 0;
  #deltaSquares = 0;

  constructor(
    sums: CorrectionSums,
    measured: MeasuredBatch,
    evaluation: Evaluation,
    columns: SequenceColumns,
    options: AccumulateOptions,
  ) {
    this.#sums = sums;
    this.#prepared = measured.prepared;
    this.#evaluation = evaluation;
    this.#columns = columns;
    this.#options = options;
    this.#tailDeltas = measured.tailLogRatios({ statistic: "ratio" });
    this.#tailRatios = measured.tailValues({ statistic: "ratio" });
    this.#bySlot = options.normalized
      ? columns.batches.map((batch) => sums.weightsOf(batch))
      : [sums.weightsOf(ALL)];
  }

  run(): void {
    const { turnStarts, sequences } = this.#prepared;
    this.#addNormalizers();
    for (let sequence = 0; sequence < sequences; sequence++) {
      for (let turn = turnStarts[sequence]!; turn < turnStarts[sequence + 1]!; turn++)
        this.#addTurn(turn, sequence);
      this.#closeSequence(sequence);
    }
    this.#sums.truncated += this.#evaluation.truncated;
  }

  #addNormalizers(): void {
    this.#evaluation.normalizers.forEach(({ sums, counts }, step) => {
      this.#bySlot.forEach((weights, slot) => {
        weights.normalizers[step] ??= { sum: 0, count: 0 };
        weights.normalizers[step].sum += sums[slot]!;
        weights.normalizers[step].count += counts[slot]!;
      });
    });
  }

  #addTurn(turn: number, sequence: number): void {
    const dropped = this.#addCore(turn) + this.#addTail(turn);
    if (dropped === 0) return;
    const { droppedByTurn, droppedByLength } = this.#sums;
    droppedByTurn[turnBucket(this.#prepared.turnIndex[turn]!)]! += dropped;
    droppedByLength[this.#columns.lengthBuckets[sequence]!]! += dropped;
  }

  /** Adds the core of a turn, which is kept or dropped as one; returns the number of dropped tokens. */
  #addCore(turn: number): number {
    const { core } = this.#prepared;
    const { coreWeights, coreRawWeights, coreKept } = this.#evaluation;
    const { weighted } = this.#options;
    const count = core.count[turn]!;
    if (count === 0) return 0;
    const weight = coreWeights[turn]!;
    const raw = coreRawWeights[turn]!;
    const ratio = core.ratio[turn]!;
    // A NaN weight stands for OWN_RATIO: the tokens differ, but their sums are known. If a correction has no weights,
    // mass and ESS are those of the ratios it leaves: how evenly they represent the trainer.
    const rawSum = Number.isNaN(raw) || !weighted ? ratio : count * raw;
    this.#rawMass += rawSum;
    if (coreKept[turn] === 0 || weight === 0) {
      this.#moved += rawSum;
      this.#sums.droppedPositive += core.positive[turn]!;
      this.#sums.droppedNegative += core.negative[turn]!;
      return count;
    }
    const own = Number.isNaN(weight);
    this.#kept += count;
    if (!own && weighted) this.#moved += Math.abs(count * weight - rawSum);
    this.#deltas += core.delta[turn]!;
    this.#deltaSquares += core.deltaSquare[turn]!;
    if (own || !weighted) {
      this.#mass += ratio;
      this.#square += core.ratioSquare[turn]!;
    } else {
      this.#mass += count * weight;
      this.#square += count * weight * weight;
    }
    // The loss sees the weights themselves: 1 if there are none.
    this.#lossMass += own ? ratio : count * weight;
    const most = own ? Math.exp(core.deltaMax[turn]!) : weight;
    if (most > this.#largest) this.#largest = most;
    return 0;
  }

  /** Adds the tail tokens of a turn, each individually; returns the number of dropped tokens. */
  #addTail(turn: number): number {
    const { tailStarts, tail } = this.#prepared;
    const [from, to] = [tailStarts[turn]!, tailStarts[turn + 1]!];
    if (from === to) return 0;
    const { tailWeights, tailRawWeights, tailKept } = this.#evaluation;
    const { weighted } = this.#options;
    const [ratios, deltas] = [this.#tailRatios, this.#tailDeltas];
    let dropped = 0;
    for (let t = from; t < to; t++) {
      const weight = tailWeights[t]!;
      const raw = weighted ? tailRawWeights[t]! : ratios[t]!;
      this.#rawMass += raw;
      if (tailKept[t] === 0 || weight === 0) {
        this.#moved += raw;
        dropped++;
        if (tail.advantage[t]! > 0) this.#sums.droppedPositive++;
        else if (tail.advantage[t]! < 0) this.#sums.droppedNegative++;
        continue;
      }
      const counted = weighted ? weight : ratios[t]!;
      const delta = deltas[t]!;
      this.#kept++;
      this.#mass += counted;
      this.#square += counted * counted;
      this.#moved += Math.abs(counted - raw);
      this.#lossMass += weight;
      if (weight > this.#largest) this.#largest = weight;
      this.#deltas += delta;
      this.#deltaSquares += delta * delta;
    }
    return dropped;
  }

  #closeSequence(sequence: number): void {
    const sums = this.#sums;
    const kept = this.#kept;
    this.#options.onSequence(sequence, kept > 0);
    sums.rawMass += this.#rawMass;
    sums.movedMass += this.#moved;
    this.#addWeights(sequence);
    if (kept > 0) {
      sums.keptTokens += kept;
      sums.keptSequences++;
      sums.moments.add(kept, this.#deltas, this.#deltaSquares);
      this.#addOutcome(sequence);
    }
    this.#kept = 0;
    this.#mass = 0;
    this.#square = 0;
    this.#lossMass = 0;
    this.#largest = 0;
    this.#rawMass = 0;
    this.#moved = 0;
    this.#deltas = 0;
    this.#deltaSquares = 0;
  }

  #addWeights(sequence: number): void {
    const { slots } = this.#columns;
    const weights = this.#bySlot[this.#options.normalized ? slots.of[sequence]! : 0]!;
    // Over all of the sequence's tokens, so that dropping some of them lowers its share.
    const mean = this.#mass / this.#prepared.lengths[sequence]!;
    weights.mass += this.#mass;
    weights.square += this.#square;
    weights.sequenceMass += mean;
    weights.sequenceSquare += mean ** 2;
    weights.lossMass += this.#lossMass;
    if (this.#largest > weights.largest) weights.largest = this.#largest;
  }

  #addOutcome(sequence: number): void {
    const sums = this.#sums;
    const reward = this.#columns.rewards[sequence]!;
    if (!Number.isNaN(reward)) {
      sums.rewardTokens += this.#kept;
      sums.rewardSum += this.#kept * reward;
    }
    const correct = this.#columns.correctness[sequence]!;
    if (!Number.isNaN(correct)) {
      sums.correctnessTokens += this.#kept;
      sums.correctnessSum += this.#kept * correct;
    }
  }
}
