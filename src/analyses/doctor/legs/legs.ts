/**
 * Compares three columns: rollout (A), the engine's prefill of the same text (B), trainer (C). The decode leg is A to
 * B, the trainer leg B to C. What causes a difference does not belong in this folder.
 *
 * @module
 */
import type { RecordBatch } from "../../../core/schema/index.ts";
import { layoutOf, part, Sums } from "../../../core/summaries/index.ts";
import type { GuiltyLeg, LegFigures } from "../../../results/diagnosis.ts";
import { type ClusterKeys, clusterKeys } from "../../report/cluster-keys.ts";
import { judgeLegs } from "./judge.ts";
import { LEG, LegSums } from "./leg-sums.ts";
import { measureLeg } from "./measure.ts";

export interface LegsResult {
  /** Null without a re-scored column, or if too few sequences have one. */
  readonly guilty_leg: GuiltyLeg | null;
  /** Empty without a re-scored column. */
  readonly legs: readonly LegFigures[];
  /** σ of the decode leg if neither leg is guilty, nats: how much the engine differs from itself; else null. */
  readonly engineNoise: number | null;
}

/**
 * The two legs of a run, over tokens with mask 1 and three finite log-probs. Δ is the later column minus the earlier
 * one: B − A for the decode leg, C − B for the trainer leg, which add up to the run's Δ.
 */
export class Legs extends Sums {
  static readonly layout = layoutOf<Legs>({
    decode: part(LegSums.layout, (legs) => legs.#decode),
    trainer: part(LegSums.layout, (legs) => legs.#trainer),
  });
  readonly #decode = new LegSums();
  readonly #trainer = new LegSums();

  /** @param clusters the batch's clusters, if known */
  add(batch: RecordBatch, clusters?: ClusterKeys): void {
    const { rolloutLogprobs: rollout, trainerLogprobs: trainer, policyLogprobs, responseMask } = batch;
    const rescore = policyLogprobs.rescore;
    if (rollout === undefined || trainer === undefined || rescore === undefined) return;
    const { keys } = clusters ?? clusterKeys(batch);
    for (let row = 0; row < batch.length; row++) {
      for (let t = batch.offsets[row]!; t < batch.offsets[row + 1]!; t++) {
        if (responseMask[t] === 0) continue;
        const [a, b, c] = [rollout[t]!, rescore[t]!, trainer[t]!];
        // A sum of three is finite only if each is.
        if (!Number.isFinite(a + b + c)) continue;
        this.#decode.add(keys[row]!, b - a, b);
        this.#trainer.add(keys[row]!, c - b, b);
      }
    }
    this.#decode.close();
    this.#trainer.close();
  }

  result(): LegsResult {
    if (this.#decode.clusters.size === 0) return { guilty_leg: null, legs: [], engineNoise: null };
    const guilty = judgeLegs(this.#decode, this.#trainer);
    return {
      guilty_leg: guilty,
      engineNoise: guilty === "none" ? (measureLeg(this.#decode)?.scale ?? null) : null,
      legs: [describeLeg("decode", this.#decode), describeLeg("trainer", this.#trainer)],
    };
  }
}

function describeLeg(name: LegFigures["name"], sums: LegSums): LegFigures {
  const tokens = sums.total(LEG.tokens);
  return {
    name,
    tokens,
    delta_mean: sums.total(LEG.delta) / tokens,
    delta_abs_mean: sums.total(LEG.abs) / tokens,
    delta_abs_max: sums.max,
    k3: sums.k3 / tokens,
    equal_share: sums.equal / tokens,
  };
}
