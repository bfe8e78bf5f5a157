import { Moments } from "../shared/moments.ts";
import type { BatchMetrics, Settings } from "../shared/preset.ts";
import { readNumber } from "../shared/read-setting.ts";

/**
 * What AReaL logs for a batch taken as one micro-batch, under `ppo_actor/`:
 *
 * * `update/behave_imp_weight/{avg,min,max}` and `update/behave_approx_kl/{avg,min,max}` (Δ, nats, with that sign): over
 *   tokens with mask 1 that keep a weight above 0; left out when there are none, as infinite minima and maxima are.
 * * `update/unclipped_behave_tokens`: how many those are.
 * * `update/rs_filtered_fraction`: of the tokens with mask 1, those dropped, or whose weight was clamped.
 * * `rs_upper`, and `rs_lower` if there is one (0 for a clamp without one).
 *
 * Nothing for `rejection_sampling: null`. Source: functional.py lines 185-425 and 534-558, actor.py, stats_tracker.py,
 * 4aef98d8.
 */
export function arealMetrics(settings: Settings): BatchMetrics {
  if (settings.level === null) return { add() {}, finish: () => ({}) };
  const clamp = settings.action === "clamp";
  const kept = { behave_imp_weight: new Moments(), behave_approx_kl: new Moments() };
  let tokens = 0;
  let filtered = 0;
  return {
    add({ rollout, trainer, mask }, { weights, rawWeights }) {
      for (let t = 0; t < mask.length; t++) {
        if (mask[t] === 0) continue;
        const weight = weights?.[t] ?? 1;
        tokens++;
        if (clamp ? weight !== (rawWeights?.[t] ?? 1) : weight === 0) filtered++;
        if (!(weight > 0)) continue;
        kept.behave_imp_weight.add(weight);
        kept.behave_approx_kl.add(weights ? trainer[t]! - rollout[t]! : 0);
      }
    },
    finish() {
      const metrics: Record<string, number> = {};
      for (const [key, values] of Object.entries(kept)) {
        if (values.count === 0) continue;
        metrics[`ppo_actor/update/${key}/avg`] = values.mean;
        if (Number.isFinite(values.min)) metrics[`ppo_actor/update/${key}/min`] = values.min;
        if (Number.isFinite(values.max)) metrics[`ppo_actor/update/${key}/max`] = values.max;
      }
      metrics["ppo_actor/update/unclipped_behave_tokens"] = kept.behave_imp_weight.count;
      metrics["ppo_actor/update/rs_filtered_fraction"] = filtered / Math.max(tokens, 1);
      metrics["ppo_actor/rs_upper"] = readNumber(settings, "upper") ?? Number.NaN;
      const lower = readNumber(settings, "lower") ?? (clamp ? 0 : undefined);
      if (lower !== undefined) metrics["ppo_actor/rs_lower"] = lower;
      return metrics;
    },
  };
}
