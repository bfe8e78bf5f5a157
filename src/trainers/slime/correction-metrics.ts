import { type AppliedCorrection, applyCorrection, type CorrectionBlock } from "../neutral/apply.ts";
import type { BatchMetrics, Preset, Settings } from "../shared/preset.ts";
import { SampleMeans } from "../shared/sample-means.ts";
import { appliesWeights, masksSequences } from "./core-preset.ts";

/** Metrics that a fork adds, or computes differently. */
export interface SlimeMetricsOptions {
  /** |Δ| of one token as it enters the mean; Δ itself unless given. */
  readonly absDiff?: (delta: number) => number;
  readonly extra?: (block: CorrectionBlock, means: SampleMeans) => void;
}

/**
 * `train/*` of one training step, in its first update and with one sample per rollout: means over a sequence's tokens,
 * then over sequences (a sequence without any counts as 0).
 *
 * * `tis`: ρ before any bound; `tis_abs`: |ρ − 1|; `tis_clipfrac`: share of tokens whose weight is not ρ.
 * * `train_rollout_logprob_abs_diff`: |Δ|, nats.
 * * `ois`, only with use_rollout_logprobs: the PPO ratio, which then is ρ. Otherwise it is 1 in the first update.
 * * `opsm_clipfrac`: tokens of dropped sequences, mask 0 included, over tokens with mask 1; above 1 when a dropped
 *   sequence has tool tokens.
 *
 * Source: slime/backends/megatron_utils/loss.py lines 884-931 and 1136-1171, utils/ppo_utils.py compute_opsm_mask.
 */
export function slimeMetrics(
  preset: Preset,
  settings: Settings,
  options: SlimeMetricsOptions = {},
): BatchMetrics {
  const { absDiff = Math.abs, extra } = options;
  const weighted = preset.correction({ ...settings, use_opsm: false });
  const means = new SampleMeans();
  return {
    add(block, applied) {
      const { rollout, trainer } = block;
      means.addRows(block.offsets.length - 1);
      means.add("train_rollout_logprob_abs_diff", block, (t) => absDiff(trainer[t]! - rollout[t]!));
      if (appliesWeights(settings)) {
        const { rawWeights, weights } = masksSequences(settings) ? applyCorrection(block, weighted) : applied;
        means.add("tis", block, (t) => rawWeights![t]!);
        means.add("tis_abs", block, (t) => Math.abs(rawWeights![t]! - 1));
        means.add("tis_clipfrac", block, (t) => (weights![t] === rawWeights![t] ? 0 : 1));
        if (settings.use_rollout_logprobs === true) means.add("ois", block, (t) => rawWeights![t]!);
      }
      if (masksSequences(settings)) means.addSum("opsm_clipfrac", opsmShare(block, applied));
      extra?.(block, means);
    },
    finish: () => means.finish("train/"),
  };
}

function opsmShare({ mask }: CorrectionBlock, { steps }: AppliedCorrection): number {
  const { segments, rejected } = steps.at(-1)!.measured!;
  let share = 0;
  for (let row = 0; row < rejected.length; row++) {
    if (rejected[row] === 0) continue;
    const [start, end] = [segments.starts[row]!, segments.ends[row]!];
    const own = mask.subarray(start, end).reduce((count, bit) => count + (bit === 0 ? 0 : 1), 0);
    share += (end - start) / Math.max(own, 1);
  }
  return share;
}
