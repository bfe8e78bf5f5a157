/**
 * What is known about one correction, summed over batches.
 *
 * @module
 */
import { LENGTH_BUCKETS, TURN_BUCKETS } from "./buckets.ts";
import { DeltaMoments } from "./delta-moments.ts";

/** Sums over kept tokens and sequences that a `normalize` step would scale. */
export class WeightSums {
  /** Σ w and Σ w² over kept tokens; w = ρ if the correction has no weights. */
  mass = 0;
  square = 0;
  /** Σ and Σ² over sequences of Σ w / n, with n the sequence's tokens, kept or not. */
  sequenceMass = 0;
  sequenceSquare = 0;
  /** The weights that the loss sees: 1 if the correction has none. */
  largest = 0;
  lossMass = 0;
  /** For each `normalize` step: Σ weights and their number. */
  normalizers: { sum: number; count: number }[] = [];

  /** The product of what the `normalize` steps divide by; each is 1 unless it exceeds 1e-8, as `applyCorrection` has it. */
  get factor(): number {
    let factor = 1;
    for (const { sum, count } of this.normalizers) {
      const mean = count === 0 ? 0 : sum / count / factor;
      if (mean > 1e-8) factor *= mean;
    }
    return factor;
  }
}

export class CorrectionSums {
  keptTokens = 0;
  keptSequences = 0;
  truncated = 0;
  /** Σ raw weights over all tokens. */
  rawMass = 0;
  /** Σ |weight − raw weight| over all tokens, with weight 0 for dropped ones. */
  movedMass = 0;
  /** By trainer batch if the correction normalizes, else under one key. */
  readonly weights = new Map<number | string, WeightSums>();
  /** Kept tokens of sequences with a reward, and Σ reward over them; the same for correctness. */
  rewardTokens = 0;
  rewardSum = 0;
  correctnessTokens = 0;
  correctnessSum = 0;
  /** Dropped tokens with a positive and with a negative advantage. */
  droppedPositive = 0;
  droppedNegative = 0;
  readonly droppedByLength = new Float64Array(LENGTH_BUCKETS);
  readonly droppedByTurn = new Float64Array(TURN_BUCKETS);
  readonly moments = new DeltaMoments();

  weightsOf(batch: number | string): WeightSums {
    const known = this.weights.get(batch);
    if (known) return known;
    const sums = new WeightSums();
    this.weights.set(batch, sums);
    return sums;
  }
}
