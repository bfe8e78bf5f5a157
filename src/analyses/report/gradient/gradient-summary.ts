/**
 * The mismatch weighted by the advantage: how much of it reaches the policy gradient, and which tokens it distorts most
 * there. Batches without advantages are skipped; the sums themselves belong to `core/summaries`.
 *
 * @module
 */
import { turnMarks, turnOfMark } from "../../../core/kernels/index.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";
import {
  type AdvantageBlock,
  ClusterShares,
  GRADIENT,
  GradientSums,
  impactAt,
  layoutOf,
  part,
  Sums,
  sumGradient,
  TopList,
  topOf,
} from "../../../core/summaries/index.ts";
import type { GradientSequence, GradientToken } from "../../../results/gradient.ts";
import { describePlace, known } from "../batch-rows.ts";
import type { ClusterKeys } from "../cluster-keys.ts";
import { worstOf } from "../worst-lists.ts";
import { formatPlaceKey } from "../worst-tokens.ts";

const WORST_KEPT = 20;

/** Its share of the run is known only at the end. */
export type SummedSequence = Omit<GradientSequence, "impact_share">;

/** Of the batches with advantages what {@link readGradient} needs; merges in any order to the same bits. */
export class GradientSummary extends Sums {
  static readonly layout = layoutOf<GradientSummary>({
    sums: part(GradientSums.layout, ({ sums }) => sums),
    shares: part(ClusterShares.layout, ({ shares }) => shares),
    worstTokens: part(
      topOf(worstOf<GradientToken>("impact", "file", "handle")),
      ({ worstTokens }) => worstTokens,
    ),
    worstSequences: part(
      topOf(worstOf<SummedSequence>("impact", "file", "handle")),
      ({ worstSequences }) => worstSequences,
    ),
  });
  readonly sums = new GradientSums();
  /** The part of Σ k3 where the advantage is 0. */
  readonly shares = new ClusterShares();
  readonly worstTokens = new TopList<GradientToken>(
    WORST_KEPT,
    ({ impact }) => Math.abs(impact),
    formatPlaceKey,
  );
  readonly worstSequences = new TopList<SummedSequence>(WORST_KEPT, ({ impact }) => impact, formatPlaceKey);

  /** Skips a batch that lacks advantages or either policy's log-probs. */
  add(batch: RecordBatch, clusters: ClusterKeys): void {
    const { rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask: mask, advantages } = batch;
    if (!advantages || !rollout || !trainer) return;
    const block = { rollout, trainer, mask, advantages };
    for (let row = 0; row < batch.length; row++) {
      const sums = sumGradient(block, batch.offsets[row]!, batch.offsets[row + 1]!);
      if (sums[GRADIENT.tokens] === 0 && sums[GRADIENT.overflowed] === 0) continue;
      this.sums.add(batch.steps[row]!, sums);
      this.shares.add(clusters.keys[row]!, sums[GRADIENT.k3]!, sums[GRADIENT.zeroK3]!);
      if (sums[GRADIENT.impactAbs] === 0) continue;
      this.#considerSequence(batch, row, sums);
      this.#considerTokens(batch, row, block);
    }
  }

  #considerSequence(batch: RecordBatch, row: number, sums: Float64Array): void {
    const impact = sums[GRADIENT.impactAbs]!;
    if (impact < this.worstSequences.threshold) return;
    const { rank: _, ...place } = describePlace(batch, row);
    const tokens = sums[GRADIENT.tokens]!;
    let deltaSum = 0;
    for (let t = batch.offsets[row]!; t < batch.offsets[row + 1]!; t++) {
      const delta = batch.trainerLogprobs![t]! - batch.rolloutLogprobs![t]!;
      if (batch.responseMask[t] !== 0 && Number.isFinite(delta)) deltaSum += delta;
    }
    this.worstSequences.add({
      ...place,
      tokens,
      delta_abs_mean: sums[GRADIENT.deltaAbs]! / tokens,
      delta_sum: deltaSum,
      advantage_mean: sums[GRADIENT.advantage]! / tokens,
      impact,
      impact_signed: sums[GRADIENT.impact]!,
      reward: known(batch.rewards[row]!, Number.NaN),
    });
  }

  #considerTokens(batch: RecordBatch, row: number, block: AdvantageBlock): void {
    const [start, end] = [batch.offsets[row]!, batch.offsets[row + 1]!];
    let { threshold } = this.worstTokens;
    let prefix: string | undefined;
    let marks: Uint16Array | undefined;
    for (let t = start; t < end; t++) {
      const impact = impactAt(block, t);
      const size = Math.abs(impact);
      // Written so that NaN does not pass either.
      if (!(size >= threshold) || impact === 0) continue;
      if (size === threshold) {
        prefix ??= formatPlaceKey(describePlace(batch, row, 0)).slice(0, -1);
        if (!this.worstTokens.admitsTie(`${prefix}${t - start}`)) continue;
      }
      marks ??= turnMarks(batch.turnMask ?? batch.responseMask, start, end);
      this.worstTokens.add({
        ...describePlace(batch, row, t - start),
        sequence: batch.rows[row]!,
        token: t - start,
        turn: turnOfMark(marks[t - start]!) ?? 0,
        token_id: known(batch.responseTokenIds?.[t] ?? -1, -1),
        // In single precision, like the other worst tokens.
        delta: Math.fround(block.trainer[t]! - block.rollout[t]!),
        rollout_logprob: block.rollout[t]!,
        trainer_logprob: block.trainer[t]!,
        advantage: block.advantages[t]!,
        impact,
      });
      ({ threshold } = this.worstTokens);
    }
  }
}
