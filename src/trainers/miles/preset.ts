/**
 * miles' preset: slime's correction with metrics of its own.
 *
 * @module
 */
import { computeK3 } from "../../core/kernels/index.ts";
import type { CorrectionBlock } from "../neutral/apply.ts";
import type { Preset } from "../shared/preset.ts";
import type { SampleMeans } from "../shared/sample-means.ts";
import { slimePreset } from "../slime/core-preset.ts";
import { slimeMetrics } from "../slime/correction-metrics.ts";

/** Log-ratios are clamped to ± this many nats before exp, NaN to 0 (`_LOG_RATIO_EXP_CLAMP` in math_utils.py). */
const LOG_RATIO_CLAMP = 20;
/** `low_var_kl` is capped at this many nats per token. */
const KL_CLAMP = 10;

/** miles has slime's correction, but its metrics hide non-finite values and clamp k3. */
export const miles: Preset = slimePreset({
  name: "miles",
  trainer: "miles",
  summary: "slime's --use-tis and icepop_function, with guards against non-finite values in the metrics",
  source:
    "radixark/miles miles/backends/training_utils/loss_hub/{corrections,losses,math_utils}.py, 31f1ca96",
  icepopPath: "miles.backends.training_utils.loss_hub.corrections.icepop_function",
  misPreset: "slime-mis",
  traps: [
    {
      says: "train/train_rollout_logprob_abs_diff counts NaN and infinite differences as 0: a broken token lowers it",
    },
    {
      says: "train/train_rollout_kl is capped at 10 nats per token: a catastrophic token counts no more than one with Δ = 2.6",
    },
    {
      says: "the guards are on metrics and PPO terms; the TIS weight itself is not guarded, a NaN ratio stays NaN",
    },
    {
      says: "train/ess_ratio is of the PPO ratio, not of the rollout ratio, unless use_rollout_logprobs makes them the same",
      setting: "use_rollout_logprobs",
    },
  ],
  metrics: (preset, settings) =>
    slimeMetrics(preset, settings, {
      absDiff: (delta) => (Number.isFinite(delta) ? Math.abs(delta) : 0),
      extra: (block, means) => {
        addKl(block, means);
        if (settings.use_rollout_logprobs === true) addEffectiveSize(block, means);
      },
    }),
});

function clampedDelta({ rollout, trainer }: CorrectionBlock, t: number): number {
  const delta = trainer[t]! - rollout[t]!;
  return Number.isNaN(delta) ? 0 : Math.min(Math.max(delta, -LOG_RATIO_CLAMP), LOG_RATIO_CLAMP);
}

/** `train_rollout_kl`: min(k3, 10). */
function addKl(block: CorrectionBlock, means: SampleMeans): void {
  means.add("train_rollout_kl", block, (t) => Math.min(computeK3(clampedDelta(block, t)), KL_CLAMP));
}

/** `ess_ratio`: (Σρ)² / (n · max(Σρ², 1e-8)) of each sequence, 0 without tokens. */
function addEffectiveSize(block: CorrectionBlock, means: SampleMeans): void {
  const { mask, offsets } = block;
  let total = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    let [count, sum, squares] = [0, 0, 0];
    for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
      if (mask[t] === 0) continue;
      const ratio = Math.exp(clampedDelta(block, t));
      count++;
      sum += ratio;
      squares += ratio * ratio;
    }
    total += (sum * sum) / (Math.max(count, 1) * Math.max(squares, 1e-8));
  }
  means.addSum("ess_ratio", total);
}
