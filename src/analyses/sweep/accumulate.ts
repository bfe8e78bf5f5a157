import { turnBucket } from "./buckets.ts";
import type { Evaluation, Slots } from "./evaluate.ts";
import type { MeasuredBatch } from "./measured.ts";
import type { SettingSums, WeightSums } from "./setting-sums.ts";

/** What a batch's sequences are to every setting, `[sequences]`. */
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

/** Adds what a setting made of a batch to its sums. */
export function accumulate(
  sums: SettingSums,
  measured: MeasuredBatch,
  evaluation: Evaluation,
  columns: SequenceColumns,
  { weighted, normalized, onSequence }: AccumulateOptions,
): void {
  const { prepared } = measured;
  const { core, turnStarts, tailStarts, turnIndex, lengths, sequences } = prepared;
  const { coreWeights, coreRawWeights, coreKept, tailWeights, tailRawWeights, tailKept } = evaluation;
  const tailDeltas = measured.tailLogRatios({ statistic: "ratio" });
  const tailRatios = measured.tailValues({ statistic: "ratio" });
  const { advantage } = prepared.tail;
  const bySlot = normalized ? columns.batches.map((batch) => sums.weightsOf(batch)) : [sums.weightsOf("all")];
  addNormalizers(bySlot, evaluation);

  for (let i = 0; i < sequences; i++) {
    const length = lengths[i]!;
    let kept = 0;
    let mass = 0;
    let square = 0;
    let lossMass = 0;
    let largest = 0;
    let rawMass = 0;
    let moved = 0;
    let deltas = 0;
    let deltaSquares = 0;
    for (let turn = turnStarts[i]!; turn < turnStarts[i + 1]!; turn++) {
      let droppedHere = 0;
      const count = core.count[turn]!;
      if (count !== 0) {
        const weight = coreWeights[turn]!;
        const own = Number.isNaN(weight);
        const raw = coreRawWeights[turn]!;
        const rawSum = Number.isNaN(raw) || !weighted ? core.ratio[turn]! : count * raw;
        rawMass += rawSum;
        if (coreKept[turn] !== 0 && weight !== 0) {
          kept += count;
          if (!own && weighted) moved += Math.abs(count * weight - rawSum);
          deltas += core.delta[turn]!;
          deltaSquares += core.deltaSquare[turn]!;
          if (own || !weighted) {
            mass += core.ratio[turn]!;
            square += core.ratioSquare[turn]!;
          } else {
            mass += count * weight;
            square += count * weight * weight;
          }
          lossMass += own ? core.ratio[turn]! : count * weight;
          const most = own ? Math.exp(core.deltaMax[turn]!) : weight;
          if (most > largest) largest = most;
        } else {
          moved += rawSum;
          droppedHere += count;
          sums.droppedPositive += core.positive[turn]!;
          sums.droppedNegative += core.negative[turn]!;
        }
      }
      for (let t = tailStarts[turn]!; t < tailStarts[turn + 1]!; t++) {
        const weight = tailWeights[t]!;
        const ratio = tailRatios[t]!;
        const raw = weighted ? tailRawWeights[t]! : ratio;
        rawMass += raw;
        if (tailKept[t] !== 0 && weight !== 0) {
          const counted = weighted ? weight : ratio;
          kept++;
          mass += counted;
          square += counted * counted;
          moved += Math.abs(counted - raw);
          lossMass += weight;
          if (weight > largest) largest = weight;
          const delta = tailDeltas[t]!;
          deltas += delta;
          deltaSquares += delta * delta;
        } else {
          moved += raw;
          droppedHere++;
          if (advantage[t]! > 0) sums.droppedPositive++;
          else if (advantage[t]! < 0) sums.droppedNegative++;
        }
      }
      if (droppedHere !== 0) {
        sums.droppedByTurn[turnBucket(turnIndex[turn]!)]! += droppedHere;
        sums.droppedByLength[columns.lengthBuckets[i]!]! += droppedHere;
      }
    }
    onSequence(i, kept > 0);
    sums.rawMass += rawMass;
    sums.movedMass += moved;
    const weights = bySlot[normalized ? columns.slots.of[i]! : 0]!;
    weights.mass += mass;
    weights.square += square;
    weights.sequenceMass += mass / length;
    weights.sequenceSquare += (mass / length) ** 2;
    weights.lossMass += lossMass;
    if (largest > weights.largest) weights.largest = largest;
    if (kept === 0) continue;
    sums.keptTokens += kept;
    sums.keptSequences++;
    sums.moments.add(kept, deltas, deltaSquares);
    const reward = columns.rewards[i]!;
    if (!Number.isNaN(reward)) {
      sums.rewardTokens += kept;
      sums.rewardSum += kept * reward;
    }
    const correct = columns.correctness[i]!;
    if (!Number.isNaN(correct)) {
      sums.correctnessTokens += kept;
      sums.correctnessSum += kept * correct;
    }
  }
  sums.truncated += evaluation.truncated;
}

function addNormalizers(bySlot: readonly WeightSums[], { normalizers }: Evaluation): void {
  normalizers.forEach(({ sums, counts }, step) => {
    bySlot.forEach((weights, slot) => {
      weights.normalizers[step] ??= { sum: 0, count: 0 };
      weights.normalizers[step].sum += sums[slot]!;
      weights.normalizers[step].count += counts[slot]!;
    });
  });
}
