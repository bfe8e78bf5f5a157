import { computeK3 } from "../../core/kernels/index.ts";
import { type AppliedCorrection, applyCorrection, type CorrectionBlock } from "../neutral/apply.ts";
import { Moments } from "../shared/moments.ts";
import type { BatchMetrics, Preset, Settings } from "../shared/preset.ts";
import { readNumber } from "../shared/read-setting.ts";

/**
 * `train/*` of one training step, micro-batches summed as NeMo-RL does, in its first update (the policy is the trainer
 * column). Means are over tokens, or sequences, that the error filter left; a sequence without mask 1 counts as one with
 * sample_mask 0.
 *
 * * `token_mult_prob_error`: mean exp|Δ|. `gen_kl_error`, `policy_kl_error`: the KL estimator on Δ and on −Δ, unclamped.
 * * `js_divergence_error`: mean of half the k3 of either side to their mixture.
 * * `sampling_importance_ratio`: mean of weights after truncation, even if the correction is off; over sequences at
 *   sequence level, as with micro-batches of one sequence (larger ones log it multiplied by their size).
 * * `is_oob_ratio`: share of weights outside the bounds (of sequences for seq-mask-tis).
 * * `approx_entropy`: −mean(ρ · log-prob).
 * * `{max,mean,min}_seq_mult_prob_error`: over sequences, of a sequence's mean exp|Δ|, before and after the filter.
 *
 * Not computed: `masked_correct_pct` (needs rewards), `probs_ratio*` (1 in the first update). Source: loss_functions.py
 * lines 404-780, grpo.py lines 2513-2640, 7ea279ab.
 */
export function nemoRlMetrics(preset: Preset, settings: Settings): BatchMetrics {
  const logged = preset.correction({ ...settings, use_importance_sampling_correction: true });
  const tokens = new Map<string, Moments>();
  const getMoments = (key: string): Moments => {
    if (!tokens.has(key)) tokens.set(key, new Moments());
    return tokens.get(key)!;
  };
  const errors = new Moments();
  const errorsAfter = new Moments();
  let masked = 0;
  return {
    add(block, applied) {
      const withWeights = applied.weights ? applied : applyCorrection(block, logged);
      addTokens(block, withWeights, settings, getMoments);
      addRatios(block, withWeights, settings, getMoments);
      forEachSequence(block, (start, end, own) => {
        if (own === 0) return;
        const error = meanError(block, start, end);
        errors.add(error);
        if (withWeights.mask.subarray(start, end).includes(1)) errorsAfter.add(error);
        else masked++;
      });
    },
    finish: () => ({
      ...Object.fromEntries([...tokens].map(([key, { mean }]) => [`train/${key}`, mean])),
      ...extremes("", errors),
      ...extremes("_after_mask", errorsAfter),
      "train/num_masked_seqs_by_logprob_error": masked,
    }),
  };
}

/** The bounds of a type; ratio_min null is 0 for tis. */
export function nemoRlBounds(settings: Settings): { readonly lower: number; readonly upper: number } {
  return {
    lower: readNumber(settings, "truncated_importance_sampling_ratio_min") ?? 0,
    upper: readNumber(settings, "truncated_importance_sampling_ratio") ?? Number.POSITIVE_INFINITY,
  };
}

function addTokens(
  { rollout, trainer }: CorrectionBlock,
  { mask }: AppliedCorrection,
  { reference_policy_kl_type: type }: Settings,
  momentsOf: (key: string) => Moments,
): void {
  const estimate = { k1: (x: number) => -x, k2: (x: number) => (x * x) / 2, k3: computeK3 }[String(type)]!;
  const [multiplicative, generation, policy, divergence, entropy] = [
    "token_mult_prob_error",
    "gen_kl_error",
    "policy_kl_error",
    "js_divergence_error",
    "approx_entropy",
  ].map(momentsOf);
  for (let t = 0; t < mask.length; t++) {
    if (mask[t] === 0) continue;
    const delta = trainer[t]! - rollout[t]!;
    multiplicative!.add(Math.exp(Math.abs(delta)));
    generation!.add(estimate(delta));
    policy!.add(estimate(-delta));
    divergence!.add(jensenShannon(delta));
    entropy!.add(-Math.exp(delta) * trainer[t]!);
  }
}

/** ½ k3 of trainer to mixture + ½ k3 of rollout to mixture; log(trainer / mixture) = −log1p((e^−Δ − 1) / 2). */
function jensenShannon(delta: number): number {
  return (computeK3(-Math.log1p(Math.expm1(-delta) / 2)) + computeK3(-Math.log1p(Math.expm1(delta) / 2))) / 2;
}

function addRatios(
  block: CorrectionBlock,
  applied: AppliedCorrection,
  settings: Settings,
  momentsOf: (key: string) => Moments,
): void {
  const { mask, weights, rawWeights } = applied;
  const type = settings.truncated_importance_sampling_type;
  const { lower, upper } = nemoRlBounds(settings);
  const bySequence = settings.sequence_level_importance_ratios === true;
  const ratio = momentsOf("sampling_importance_ratio");
  const outside = type === null || type === undefined ? undefined : momentsOf("is_oob_ratio");
  const rejected = applied.steps.at(-1)?.measured?.rejected;
  forEachSequence(block, (start, end, own, row) => {
    let kept = false;
    for (let t = start; t < end; t++) {
      if (mask[t] === 0) continue;
      if (!bySequence || !kept) ratio.add(weights![t]!);
      kept = true;
      if (type === "seq-mask-tis") continue;
      const weight = Number.isFinite(rawWeights![t]!) ? rawWeights![t]! : 0;
      outside?.add(weight < lower || weight > upper ? 1 : 0);
    }
    if (type === "seq-mask-tis" && kept && own > 0) outside?.add(rejected?.[row] ?? 0);
  });
}

function forEachSequence(
  { mask, offsets }: CorrectionBlock,
  visit: (start: number, end: number, own: number, row: number) => void,
): void {
  for (let row = 0; row + 1 < offsets.length; row++) {
    const [start, end] = [offsets[row]!, offsets[row + 1]!];
    let own = 0;
    for (let t = start; t < end; t++) if (mask[t] !== 0) own++;
    visit(start, end, own, row);
  }
}

function meanError({ rollout, trainer, mask }: CorrectionBlock, start: number, end: number): number {
  const error = new Moments();
  for (let t = start; t < end; t++)
    if (mask[t] !== 0) error.add(Math.exp(Math.abs(trainer[t]! - rollout[t]!)));
  return error.mean;
}

function extremes(suffix: string, { count, mean, min, max }: Moments): Record<string, number> {
  return {
    [`train/max_seq_mult_prob_error${suffix}`]: count > 0 ? max : 0,
    [`train/mean_seq_mult_prob_error${suffix}`]: mean,
    [`train/min_seq_mult_prob_error${suffix}`]: count > 0 ? min : 0,
  };
}
