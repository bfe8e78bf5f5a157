/**
 * The figures of a correction token by token from `applyCorrection`: what a sweep's sums are held to.
 *
 * @module
 */

import type { RecordBatch } from "../../core/schema/record.ts";
import { applyCorrection, type CorrectionBlock } from "../../trainers/neutral/apply.ts";
import type { Correction } from "../../trainers/neutral/correction.ts";

export interface NaiveFigures {
  readonly tokens: number;
  readonly tokens_kept: number;
  readonly sequences_kept: number;
  readonly mass_lost: number;
  readonly mass_moved: number;
  readonly ess_tokens: number;
  readonly ess_sequences: number;
  readonly weight_mean: number;
  readonly weight_max: number;
  readonly truncated: number;
  readonly groups_lost: number;
  readonly reward_kept: number;
  readonly reward_dropped: number;
  readonly accuracy_kept: number;
  readonly accuracy_dropped: number;
  readonly dropped_positive: number;
  readonly dropped_negative: number;
  /** By zero-based turn. */
  readonly dropped_by_turn: readonly number[];
}

/** Over whole batches; each is one training step to a `normalize`. */
export function naiveFigures(batches: readonly RecordBatch[], correction: Correction): NaiveFigures {
  let tokens = 0;
  let kept = 0;
  let keptSequences = 0;
  let sequences = 0;
  let [mass, scaled, squares, raw, moved, loss, largest] = [0, 0, 0, 0, 0, 0, 0];
  let [sequenceSum, sequenceSquares] = [0, 0];
  let truncated = 0;
  const survivors = new Map<string, boolean>();
  const rewards = { kept: [0, 0], dropped: [0, 0] };
  const accuracy = { kept: [0, 0], dropped: [0, 0] };
  let [positive, negative] = [0, 0];
  const byTurn: number[] = [];
  for (const batch of batches) {
    const block = toBlock(batch);
    const applied = applyCorrection(block, correction);
    const factor = applied.steps.reduce((product, step) => product * (step.factor ?? 1), 1);
    truncated += countTruncated(block, correction);
    for (let row = 0; row < batch.length; row++) {
      let [length, sum, any] = [0, 0, false];
      let turn = -1;
      const key = `${batch.steps[row]} ${batch.groupIds[row]}`;
      for (let t = batch.offsets[row]!; t < batch.offsets[row + 1]!; t++) {
        if (block.mask[t] === 0) continue;
        if (t === batch.offsets[row] || block.mask[t - 1] === 0) turn++;
        length++;
        const ratio = Math.exp(block.trainer[t]! - block.rollout[t]!);
        const weight = applied.weights ? applied.weights[t]! : 1;
        const counted = correction.weight ? weight : ratio;
        const before = correction.weight ? applied.rawWeights![t]! : ratio;
        raw += before;
        const isKept = applied.mask[t] === 1 && weight !== 0;
        moved += Math.abs(before - (isKept ? counted * (correction.weight ? factor : 1) : 0));
        const part = isKept ? "kept" : "dropped";
        if (!Number.isNaN(batch.rewards[row]!)) {
          rewards[part][0]! += batch.rewards[row]!;
          rewards[part][1]!++;
        }
        if (!Number.isNaN(batch.correctness[row]!)) {
          accuracy[part][0]! += batch.correctness[row]!;
          accuracy[part][1]!++;
        }
        if (isKept) {
          any = true;
          kept++;
          mass += counted * (correction.weight ? factor : 1);
          scaled += counted;
          squares += counted ** 2;
          loss += weight;
          largest = Math.max(largest, weight);
          sum += counted;
        } else {
          byTurn[turn] = (byTurn[turn] ?? 0) + 1;
          if (block.advantages && block.advantages[t]! > 0) positive++;
          if (block.advantages && block.advantages[t]! < 0) negative++;
        }
      }
      if (length === 0) continue;
      sequences++;
      tokens += length;
      if (any) keptSequences++;
      if (batch.groupIds[row] !== undefined) survivors.set(key, any || (survivors.get(key) ?? false));
      sequenceSum += sum / length;
      sequenceSquares += (sum / length) ** 2;
    }
  }
  const mean = ([sum, count]: readonly number[]): number => sum! / count!;
  return {
    tokens,
    tokens_kept: kept,
    sequences_kept: keptSequences,
    mass_lost: 1 - mass / raw,
    mass_moved: moved / raw,
    ess_tokens: squares === 0 ? 0 : scaled ** 2 / (tokens * squares),
    ess_sequences: sequenceSquares === 0 ? 0 : sequenceSum ** 2 / (sequences * sequenceSquares),
    weight_mean: loss / kept,
    weight_max: kept === 0 ? Number.NaN : largest,
    truncated,
    groups_lost: [...survivors.values()].filter((survives) => !survives).length,
    reward_kept: mean(rewards.kept),
    reward_dropped: mean(rewards.dropped),
    accuracy_kept: mean(accuracy.kept),
    accuracy_dropped: mean(accuracy.dropped),
    dropped_positive: positive,
    dropped_negative: negative,
    dropped_by_turn: Array.from(byTurn, (count) => count ?? 0),
  };
}

export function toBlock(batch: RecordBatch): CorrectionBlock {
  return {
    rollout: batch.rolloutLogprobs!,
    trainer: batch.trainerLogprobs!,
    mask: batch.responseMask,
    offsets: batch.offsets,
    ...(batch.advantages && { advantages: batch.advantages }),
  };
}

/** Tokens that change at each `truncate` step: the weights before and after it, by applying the steps up to it. */
function countTruncated(block: CorrectionBlock, { weight, steps }: Correction): number {
  let changed = 0;
  steps.forEach((step, at) => {
    if (step.action !== "truncate" || !weight) return;
    const before = applyCorrection(block, { weight, steps: steps.slice(0, at) }).weights!;
    const after = applyCorrection(block, { weight, steps: steps.slice(0, at + 1) }).weights!;
    before.forEach((value, t) => {
      if (block.mask[t] !== 0 && value !== after[t]) changed++;
    });
  });
  return changed;
}
