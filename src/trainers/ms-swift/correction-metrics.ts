import { computeK3 } from "../../core/kernels/index.ts";
import type { AppliedCorrection, CorrectionBlock } from "../neutral/apply.ts";
import { Moments } from "../shared/moments.ts";
import type { BatchMetrics, Settings } from "../shared/preset.ts";
import { readNumber } from "../shared/read-setting.ts";

const PREFIX = "rollout_correction/";
const SAFETY_BOUND = 20;
const K3_MAX = 10;

/**
 * `rollout_correction/*` of one micro-batch of one process; ms-swift then averages these means over both, but takes the
 * largest `log_ppl_diff_max` and the smallest `log_ppl_diff_min` of the processes (4.6.0; their mean before).
 *
 * Over tokens with mask 1: `kl` (−Δ), `k3_kl` (Δ clamped to ±20, k3 to 10), `chi2_token` (mean ρ² − 1, Δ clamped). Over
 * every sequence (log-prob 0 for one without such a token): `{training,rollout}_{ppl,log_ppl}`, `log_ppl_diff` (mean
 * rollout − trainer), its `abs`, `max` and `min`, `ppl_ratio`, `chi2_seq` (of the geometric mean).
 *
 * With a mode also `is_weight_mean`, `ess` (1 / mean (w / mean w)², w clamped to [1/threshold, threshold]; a fraction),
 * and `clipped_frac`: of tokens, or in sequence modes of sequences.
 *
 * Nothing when the mode is None and `log_rollout_offpolicy_metrics` is false. Source: grpo_trainer.py lines 2418-2601,
 * 3602360a.
 */
export function msSwiftMetrics(settings: Settings): BatchMetrics {
  const mode = settings.rollout_importance_sampling_mode;
  const figures = new MismatchFigures();
  const weights = mode === null ? undefined : new WeightFigures(String(mode), settings);
  const logged = weights !== undefined || settings.log_rollout_offpolicy_metrics === true;
  return {
    add(block, applied) {
      if (!logged) return;
      figures.add(block);
      weights?.add(block, applied);
    },
    finish() {
      if (!logged) return {};
      const all = { ...figures.finish(), ...weights?.finish() };
      return Object.fromEntries(Object.entries(all).map(([key, value]) => [PREFIX + key, value]));
    },
  };
}

class MismatchFigures {
  #tokens = { kl: new Moments(), k3: new Moments(), chi2: new Moments() };
  #rows = {
    training_ppl: new Moments(),
    training_log_ppl: new Moments(),
    rollout_ppl: new Moments(),
    rollout_log_ppl: new Moments(),
    log_ppl_diff: new Moments(),
    log_ppl_abs_diff: new Moments(),
    ppl_ratio: new Moments(),
    chi2_seq: new Moments(),
  };

  add({ rollout, trainer, mask, offsets }: CorrectionBlock): void {
    const rows = this.#rows;
    for (let row = 0; row + 1 < offsets.length; row++) {
      let [count, ofTrainer, ofRollout, ofDelta] = [0, 0, 0, 0];
      for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
        if (mask[t] === 0) continue;
        const delta = trainer[t]! - rollout[t]!;
        const safe = clamp(delta, -SAFETY_BOUND, SAFETY_BOUND);
        count++;
        ofTrainer += trainer[t]!;
        ofRollout += rollout[t]!;
        ofDelta += delta;
        this.#tokens.kl.add(-delta);
        this.#tokens.k3.add(clamp(computeK3(safe), 0, K3_MAX));
        this.#tokens.chi2.add(Math.expm1(2 * safe));
      }
      const divisor = Math.max(count, 1);
      const [logTrainer, logRollout, logRatio] = [
        ofTrainer / divisor,
        ofRollout / divisor,
        ofDelta / divisor,
      ];
      rows.training_ppl.add(Math.exp(-logTrainer));
      rows.training_log_ppl.add(0 - logTrainer);
      rows.rollout_ppl.add(Math.exp(-logRollout));
      rows.rollout_log_ppl.add(0 - logRollout);
      rows.log_ppl_diff.add(0 - logRatio);
      rows.log_ppl_abs_diff.add(Math.abs(logRatio));
      rows.ppl_ratio.add(Math.exp(-logRatio));
      rows.chi2_seq.add(Math.expm1(2 * clamp(logRatio, -SAFETY_BOUND, SAFETY_BOUND)));
    }
  }

  finish(): Record<string, number> {
    const { kl, k3, chi2 } = this.#tokens;
    const none = kl.count === 0;
    const means = Object.entries(this.#rows).map(([key, values]) => [key, values.mean] as const);
    return {
      ...Object.fromEntries(means),
      kl: kl.mean,
      k3_kl: k3.mean,
      // Σ mask clamped to 1 leaves 0 / 1 − 1.
      chi2_token: none ? -1 : chi2.mean,
      log_ppl_diff_max: this.#rows.log_ppl_diff.max,
      log_ppl_diff_min: this.#rows.log_ppl_diff.min,
    };
  }
}

class WeightFigures {
  #mode: string;
  #threshold: number;
  #weights = new Moments();
  #clamped = new Moments();
  #clipped = new Moments();

  constructor(mode: string, settings: Settings) {
    this.#mode = mode;
    this.#threshold = readNumber(settings, "rollout_importance_sampling_threshold") ?? Number.NaN;
  }

  add({ mask }: CorrectionBlock, applied: AppliedCorrection): void {
    const { weights, rawWeights } = applied;
    for (let t = 0; t < mask.length; t++) {
      if (mask[t] === 0) continue;
      this.#weights.add(weights![t]!);
      this.#clamped.add(clamp(weights![t]!, 1 / this.#threshold, this.#threshold));
      if (this.#mode === "token_truncate") this.#clipped.add(rawWeights![t]! > this.#threshold ? 1 : 0);
      if (this.#mode === "token_mask") this.#clipped.add(weights![t] === 0 ? 1 : 0);
    }
    const ratios =
      this.#mode === "sequence_truncate"
        ? applied.logWeights!.values.map(Math.exp)
        : this.#mode === "sequence_mask"
          ? applied.steps[0]!.measured!.values
          : [];
    for (const ratio of ratios) this.#clipped.add(ratio > this.#threshold ? 1 : 0);
  }

  finish(): Record<string, number> {
    const { count, mean, m2 } = this.#clamped;
    const scale = mean + 1e-8;
    const square = count === 0 ? 0 : (m2 / count + mean * mean) / (scale * scale);
    return {
      is_weight_mean: this.#weights.mean,
      ess: 1 / Math.max(square, 1e-10),
      clipped_frac: this.#clipped.mean,
    };
  }
}

/** Like `torch.clamp`: the upper bound wins if the bounds cross. NaN stays NaN. */
function clamp(value: number, lower: number, upper: number): number {
  return Math.min(Math.max(value, lower), upper);
}
