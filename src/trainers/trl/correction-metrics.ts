import { applyCorrection, type CorrectionBlock } from "../neutral/apply.ts";
import { Moments } from "../shared/moments.ts";
import type { BatchMetrics, Preset, Settings } from "../shared/preset.ts";
import { readNumber } from "../shared/read-setting.ts";

/**
 * `sampling/*` of one process and one generation batch. TRL then averages the means over processes and the maxima over
 * logging steps; that is not done here.
 *
 * * `sampling_logp_difference/{mean,max}`: |Δ| over tokens with mask 1, nats; 0 without any.
 * * `importance_sampling_ratio/{min,mean,max}`: weights after clip or mask but before OPSM, over tokens with mask 1; in
 *   sequence modes over sequences, those without a token of their own counted with ratio 1.
 *
 * Nothing when `vllm_importance_sampling_correction` is off. Source: grpo_trainer.py lines 2779-2812, f2cd5771.
 */
export function trlMetrics(preset: Preset, settings: Settings): BatchMetrics {
  const correction = preset.correction({ ...settings, off_policy_mask_threshold: null });
  const difference = new Moments();
  const ratio = new Moments();
  return {
    add(block) {
      if (!correction.weight) return;
      const weights = applyCorrection(block, correction).weights!;
      addDifferences(block, difference);
      if (correction.weight.level === "token") addTokens(block, weights, ratio);
      else addSequences(block, weights, ratioWithoutTokens(settings), ratio);
    },
    finish() {
      if (!correction.weight) return {};
      const any = ratio.count > 0;
      return {
        "sampling/sampling_logp_difference/mean": difference.mean,
        "sampling/sampling_logp_difference/max": difference.count > 0 ? difference.max : 0,
        "sampling/importance_sampling_ratio/min": any ? ratio.min : 0,
        "sampling/importance_sampling_ratio/mean": ratio.mean,
        "sampling/importance_sampling_ratio/max": any ? ratio.max : 0,
      };
    },
  };
}

function addDifferences({ rollout, trainer, mask }: CorrectionBlock, into: Moments): void {
  for (let t = 0; t < mask.length; t++) if (mask[t] !== 0) into.add(Math.abs(trainer[t]! - rollout[t]!));
}

function addTokens({ mask }: CorrectionBlock, weights: Float64Array, into: Moments): void {
  for (let t = 0; t < mask.length; t++) if (mask[t] !== 0) into.add(weights[t]!);
}

function addSequences(
  { mask, offsets }: CorrectionBlock,
  weights: Float64Array,
  without: number,
  into: Moments,
): void {
  for (let row = 0; row + 1 < offsets.length; row++) {
    let t = offsets[row]!;
    while (t < offsets[row + 1]! && mask[t] === 0) t++;
    into.add(t < offsets[row + 1]! ? weights[t]! : without);
  }
}

/** The ratio 1 = exp 0, clipped or masked like any other. */
function ratioWithoutTokens(settings: Settings): number {
  const lower = readNumber(settings, "vllm_importance_sampling_clip_min") ?? Number.NEGATIVE_INFINITY;
  const upper = readNumber(settings, "vllm_importance_sampling_clip_max") ?? Number.POSITIVE_INFINITY;
  if (settings.vllm_importance_sampling_mode === "sequence_truncate")
    return Math.min(Math.max(1, lower), upper);
  return lower <= 1 && upper >= 1 ? 1 : 0;
}
