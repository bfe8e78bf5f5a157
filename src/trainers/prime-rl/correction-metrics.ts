import { computeK3 } from "../../core/kernels/index.ts";
import type { AppliedCorrection, CorrectionBlock } from "../neutral/apply.ts";
import { Moments } from "../shared/moments.ts";
import type { BatchMetrics } from "../shared/preset.ts";

/** The metrics of a loss function for one sequence. */
type OfSequence = Readonly<Record<string, number>>;

/**
 * The default loss's metrics of a step: `mismatch_kl/all/{mean,std,max}`, k3 over every token with mask 1, nats; and
 * of each sequence (those without such a token as 0) `{mean,max}` of `masked_mismatch_kl`, `unmasked_mismatch_kl`,
 * `is_masked`, `is_masked_low`, `is_masked_high` (fractions of the sequence's tokens), `masked_advantage_positive`,
 * `masked_advantage_negative` (fractions of its dropped tokens). Medians and minima are computed by prime-rl but not
 * sent to its monitors. Every sequence counts as one of the rl component, as when `rl_weights` is absent.
 *
 * Source: loss.py default_loss_fn, train.py, utils.py Tensors and filter_rl_trainer_tensor_stats_for_wandb, 559b4477.
 */
export function primeRlMetrics(): BatchMetrics {
  return lossMetrics((block, applied, start, end) => {
    const [high, low] = applied.steps.map(({ measured }) => measured!.rejected);
    const { mask, advantages } = block;
    const kl = new KlBySide();
    let [lowCount, highCount, positive, negative] = [0, 0, 0, 0];
    for (let t = start; t < end; t++) {
      if (mask[t] === 0) continue;
      const advantage = advantages![t]!;
      const dropped = high![t] === 1 || low![t] === 1;
      kl.add(block, t, dropped);
      if (!dropped) continue;
      if (advantage > 0) positive++;
      if (advantage < 0) negative++;
      highCount += high![t]!;
      if (advantage < 0) lowCount += low![t]!;
    }
    return {
      ...kl.figures(),
      is_masked_low: lowCount / Math.max(kl.count, 1),
      is_masked_high: highCount / Math.max(kl.count, 1),
      masked_advantage_positive: positive / Math.max(kl.dropped, 1),
      masked_advantage_negative: negative / Math.max(kl.dropped, 1),
    };
  });
}

/** The `ipo` loss's metrics: like the default one's, without the figures by sign. Any rule of it drops a token. */
export function primeRlIpoMetrics(): BatchMetrics {
  return lossMetrics((block, applied, start, end) => {
    const kl = new KlBySide();
    const isDropped = (t: number): boolean =>
      applied.steps.some(({ measured }) => measured!.rejected[t] === 1);
    for (let t = start; t < end; t++) if (block.mask[t] !== 0) kl.add(block, t, isDropped(t));
    return kl.figures();
  });
}

/** k3 of a sequence's dropped and kept tokens. */
class KlBySide {
  count = 0;
  dropped = 0;
  #masked = 0;
  #unmasked = 0;

  add(block: CorrectionBlock, t: number, dropped: boolean): void {
    const kl = k3At(block, t);
    this.count++;
    if (dropped) {
      this.dropped++;
      this.#masked += kl;
    } else this.#unmasked += kl;
  }

  figures(): OfSequence {
    return {
      masked_mismatch_kl: this.#masked / Math.max(this.dropped, 1),
      unmasked_mismatch_kl: this.#unmasked / Math.max(this.count - this.dropped, 1),
      is_masked: this.dropped / Math.max(this.count, 1),
    };
  }
}

function lossMetrics(
  sequence: (block: CorrectionBlock, applied: AppliedCorrection, start: number, end: number) => OfSequence,
): BatchMetrics {
  const all = new Moments();
  const sequences = new Map<string, Moments>();
  return {
    add(block, applied) {
      const { mask, offsets } = block;
      for (let t = 0; t < mask.length; t++) if (mask[t] !== 0) all.add(k3At(block, t));
      for (let row = 0; row + 1 < offsets.length; row++) {
        const figures = sequence(block, applied, offsets[row]!, offsets[row + 1]!);
        for (const [key, value] of Object.entries(figures)) {
          if (!sequences.has(key)) sequences.set(key, new Moments());
          sequences.get(key)!.add(value);
        }
      }
    },
    finish() {
      const none = all.count === 0;
      const metrics: Record<string, number> = {
        "mismatch_kl/all/mean": none ? Number.NaN : all.mean,
        "mismatch_kl/all/std": Math.sqrt(all.variance(1)),
        "mismatch_kl/all/max": none ? Number.NaN : all.max,
      };
      for (const [key, values] of sequences) {
        metrics[`${key}/mean`] = values.mean;
        metrics[`${key}/max`] = values.max;
      }
      return metrics;
    },
  };
}

function k3At({ rollout, trainer }: CorrectionBlock, t: number): number {
  return computeK3(trainer[t]! - rollout[t]!);
}
