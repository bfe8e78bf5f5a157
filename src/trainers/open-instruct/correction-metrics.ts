import type { AppliedCorrection, CorrectionBlock } from "../neutral/apply.ts";
import { Moments } from "../shared/moments.ts";
import type { BatchMetrics, Settings } from "../shared/preset.ts";

/**
 * Over tokens with mask 1 of the batch: `val/rho_drop_frac`, `val/rho_drop_low_frac`, `val/rho_drop_high_frac` (weight 0,
 * by either bound), `val/rho_weight` (mean of the final weights, zeros included), `val/rho_clipfrac` (ratio outside the
 * clamp, dropped or not); all 0 when the correction is off. And `debug/vllm_vs_local_logprob_diff_{mean,max,std}` (of
 * |Δ|, nats) and `debug/vllm_local_reverse_kl` (mean of p_rollout · −Δ), which open-instruct takes from the last pack
 * of a step. The histogram `val/rho_hist` has no figure.
 *
 * Source: grpo_utils.py lines 347-463 and 692-745, e6c3044a.
 */
export function openInstructMetrics(settings: Settings): BatchMetrics {
  const corrected = settings.use_rho_correction === true;
  const difference = new Moments();
  const reverseKl = new Moments();
  const weights = new Moments();
  const counts = { low: 0, high: 0, clipped: 0 };
  return {
    add(block, applied) {
      const { rollout, trainer, mask } = block;
      for (let t = 0; t < mask.length; t++) {
        if (mask[t] === 0) continue;
        const delta = trainer[t]! - rollout[t]!;
        difference.add(Math.abs(delta));
        reverseKl.add(Math.exp(rollout[t]!) * -delta);
        if (corrected) weights.add(applied.weights![t]!);
      }
      if (!corrected) return;
      addDropped(block, applied, counts);
      counts.clipped += clippedTokens(block, applied);
    },
    finish() {
      const tokens = Math.max(difference.count, 1);
      return {
        "debug/vllm_vs_local_logprob_diff_mean": difference.mean,
        "debug/vllm_vs_local_logprob_diff_max": difference.count > 0 ? difference.max : 0,
        "debug/vllm_vs_local_logprob_diff_std": difference.count > 1 ? Math.sqrt(difference.variance(1)) : 0,
        "debug/vllm_local_reverse_kl": reverseKl.mean,
        "val/rho_drop_frac": (counts.low + counts.high) / tokens,
        "val/rho_drop_low_frac": counts.low / tokens,
        "val/rho_drop_high_frac": counts.high / tokens,
        "val/rho_weight": weights.mean,
        "val/rho_clipfrac": counts.clipped / tokens,
      };
    },
  };
}

/** Counts tokens whose weight the mask set to 0, by the bound that they or their row violated. */
function addDropped(
  { mask }: CorrectionBlock,
  { weights, steps }: AppliedCorrection,
  counts: { low: number; high: number },
): void {
  const outcome = steps.find(({ step }) => step.action === "zero");
  if (!outcome?.measured || outcome.step.action !== "zero") return;
  const { segments, values, rejected } = outcome.measured;
  const { lower = Number.NEGATIVE_INFINITY } = outcome.step;
  for (let i = 0; i < rejected.length; i++) {
    if (rejected[i] === 0) continue;
    let dropped = 0;
    for (let t = segments.starts[i]!; t < segments.ends[i]!; t++) {
      if (mask[t] !== 0 && weights![t] === 0) dropped++;
    }
    counts[values[i]! < lower ? "low" : "high"] += dropped;
  }
}

function clippedTokens({ mask }: CorrectionBlock, { rawWeights, steps }: AppliedCorrection): number {
  const clamp = steps.find(({ step }) => step.action === "truncate")?.step;
  if (clamp?.action !== "truncate") return 0;
  const { lower = Number.NEGATIVE_INFINITY, upper = Number.POSITIVE_INFINITY } = clamp;
  let clipped = 0;
  for (let t = 0; t < mask.length; t++) {
    if (mask[t] !== 0 && (rawWeights![t]! < lower || rawWeights![t]! > upper)) clipped++;
  }
  return clipped;
}
