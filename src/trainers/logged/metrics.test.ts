import { describe, expect, it } from "vitest";
import { type RecognisedMetric, recogniseLookAlike, recogniseMetric } from "./recognise.ts";

const ABS = "mean |Δ| in nats, delta_abs_mean, worse larger";
const ABS_MAX = "largest |Δ| in nats, delta_abs_max, worse larger";
const K1 = "k1, mean of rollout − trainer in nats, k1, worse away from 0";
const K3 = "k3 in nats, k3, worse larger";
const RATIO = "mean ρ, ratio_mean, worse away from 1";
const EXTREME = "extreme ρ, worse away from 1";
const OUTSIDE = "share of weights outside the bounds, worse larger";
const ESS = "effective sample size, ess, worse smaller";
const CHI2 = "χ² of tokens, chi2_token, worse larger";
const PPL_RATIO = "mean ratio of perplexities, worse away from 1";
const PPL_ABS = "mean difference of log-perplexities in nats, worse larger";
const PPL_DIFF = "difference of log-perplexities in nats, worse away from 0";
const CHI2_SEQ = "χ² of sequences, worse larger";
const DROPPED = "share that rejection drops, worse larger";
const PREDICTED = "exp |Δ| by sequences, worse larger";

/** A key as the trainer writes it, and what it is; `*` where a quirk is told, `~` where the quirk bends the figure. */
const KEYS: Readonly<Record<string, readonly (readonly [key: string, is: string])[]>> = {
  verl: [
    ["training/rollout_probs_diff_mean", "mean |Δp|, prob_diff_mean, worse larger"],
    ["training/rollout_probs_diff_max", "largest |Δp|, prob_diff_max, worse larger"],
    ["training/rollout_probs_diff_std", "spread of |Δp|, worse larger"],
    ["training/rollout_actor_probs_pearson_corr", "Pearson of the probabilities, pearson, worse smaller"],
    ["rollout_corr/kl", K1],
    ["rollout_corr/k3_kl", K3],
    ["rollout_corr/chi2_token", `${CHI2} *`],
    ["rollout_corr/ppl_ratio", `${PPL_RATIO} *`],
    ["rollout_corr/log_ppl_abs_diff", `${PPL_ABS} *`],
    ["rollout_corr/log_ppl_diff", `${PPL_DIFF} *`],
    ["rollout_corr/log_ppl_diff_max", `${PPL_DIFF} *`],
    ["rollout_corr/log_ppl_diff_min", `${PPL_DIFF} *`],
    ["rollout_corr/chi2_seq", `${CHI2_SEQ} *`],
    ["rollout_corr/rollout_is_eff_sample_size", `${ESS} *~`],
    ["rollout_corr/rollout_is_mean", `${RATIO} *~`],
    ["rollout_corr/rollout_is_max", `${EXTREME} *`],
    ["rollout_corr/rollout_is_min", `${EXTREME} *`],
    ["rollout_corr/rollout_is_std", "spread of the weights, worse larger *"],
    ["rollout_corr/rollout_is_ratio_fraction_high", "share of weights outside the bounds, worse larger"],
    ["rollout_corr/rollout_is_ratio_fraction_low", "share of weights outside the bounds, worse larger"],
    ["rollout_corr/rollout_rs_masked_fraction", DROPPED],
    ["rollout_corr/rollout_rs_seq_masked_fraction", DROPPED],
    ["per_round/max_diff_value", "mean |Δ| of the worst round in nats, worse larger"],
  ],
  xtuner: [
    ["mismatch/mismatch_logprob_abs_diff", `${ABS} *`],
    ["mismatch/mismatch_k3_kl", `${K3} *`],
    ["mismatch/mismatch_kl", `${K1} *`],
    ["mismatch/mismatch_ppl_ratio", `${PPL_RATIO} *`],
    ["mismatch/mismatch_chi2_seq", `${CHI2_SEQ} *`],
    ["mismatch/rollout_is_eff_sample_size", `${ESS} *~`],
    ["mismatch/rollout_is_mean", `${RATIO} *~`],
  ],
  trl: [
    ["sampling/sampling_logp_difference/mean", `${ABS} *`],
    ["sampling/sampling_logp_difference/max", `${ABS_MAX} *`],
    ["sampling/importance_sampling_ratio/mean", `${RATIO} *~`],
    ["sampling/importance_sampling_ratio/min", `${EXTREME} *`],
    ["sampling/importance_sampling_ratio/max", `${EXTREME} *`],
    ["sampling/raw_importance_sampling_ratio/mean", `${RATIO} *`],
    ["sampling/raw_importance_sampling_ratio/max", EXTREME],
    [
      "sampling/frac_modified_importance_sampling_ratio",
      "share of weights that the bounds change, worse larger",
    ],
  ],
  "slime, miles": [
    ["train_rollout_logprob_abs_diff", `${ABS} *`],
    ["train/mis_k3_kl", `${K3} *`],
    ["mis_k3_kl", `${K3} *`],
    ["train/mis_kl", `${K1} *`],
    ["mis_kl", `${K1} *`],
    ["train/mis_ppl_ratio", `${PPL_RATIO} *`],
    ["mis_log_ppl_abs_diff", `${PPL_ABS} *`],
    ["train/mis_tis_weight_before_bound", `${RATIO} *`],
    ["train/mis_tis_weight_after_bound", `${RATIO} *~`],
    ["train/mis_tis_truncate_fraction", OUTSIDE],
    ["mis_tis_clip_fraction_low", OUTSIDE],
    ["mis_rs_mask_fraction_high", OUTSIDE],
    ["train/tis", `${RATIO} *`],
    ["train/tis_abs", "mean |ρ − 1|, worse larger *"],
    ["train/tis_clipfrac", "share of weights that truncation changes, worse larger"],
  ],
  miles: [["train_rollout_kl", `${K3} *`]],
  openrlhf: [["vllm_kl", `${K1} *`]],
  areal: [
    ["behave_approx_kl/avg", "mean Δ (AReaL calls it a KL) in nats, delta_mean, worse away from 0 *~"],
    ["behave_imp_weight/avg", `${RATIO} *~`],
    ["behave_filtered_ratio/avg", "share of tokens that rejection drops, worse larger"],
    ["logp_abs_diff/avg", "mean |rollout − policy being updated| in nats, worse larger *"],
    ["rs_filtered_fraction", DROPPED],
  ],
  "nemo-rl": [
    ["train/token_mult_prob_error", "mean exp |Δ|, worse larger from 1"],
    ["token_mult_prob_error", "mean exp |Δ|, worse larger from 1"],
    ["train/max_seq_mult_prob_error", `${PREDICTED} from 1`],
    ["mean_seq_mult_prob_error", `${PREDICTED} from 1`],
    ["min_seq_mult_prob_error_after_mask", `${PREDICTED} from 1`],
    ["train/gen_kl_error", `${K3} *`],
    ["gen_kl_error", `${K3} *`],
    ["train/policy_kl_error", "k3 of −Δ in nats, worse larger"],
    ["policy_kl_error", "k3 of −Δ in nats, worse larger"],
    ["train/js_divergence_error", "Jensen-Shannon divergence in nats, worse larger"],
    ["js_divergence_error", "Jensen-Shannon divergence in nats, worse larger"],
    ["train/sampling_importance_ratio", `${RATIO} *~`],
    ["sampling_importance_ratio", `${RATIO} *~`],
    ["train/is_oob_ratio", "share of tokens or sequences outside the bounds, worse larger"],
    ["Generation KL Error", `${K3} *`],
  ],
  skyrl: [
    ["policy/rollout_logprobs_abs_diff_mean", `${ABS} *`],
    ["policy/minibatch_rollout_logprobs_abs_diff_mean", `${ABS} *`],
    ["policy/rollout_train_logprobs_abs_diff_mean", ABS],
    ["policy/rollout_train_logprobs_abs_diff_max", ABS_MAX],
    ["policy/rollout_train_logprobs_abs_diff_std", "spread of |Δ| in nats, worse larger"],
    ["loss_metrics/is_ratio_mean", `${RATIO} *`],
  ],
  "prime-rl": [
    ["masked_mismatch_kl/mean", "k3 of dropped tokens in nats, worse larger *"],
    ["masked_mismatch_kl/math/mean", "k3 of dropped tokens in nats, worse larger *"],
    ["unmasked_mismatch_kl/mean", "k3 of kept tokens in nats, worse larger *"],
    ["unmasked_mismatch_kl/math/all/mean", "k3 of kept tokens in nats, worse larger *"],
    ["mismatch_kl/mean", K3],
    ["mismatch_kl/all/mean", K3],
    ["trainer_mismatch_kl/all/mean", K3],
    ["trainer_mismatch_kl", K3],
    ["mismatch_kl/math/mean", "k3 of an environment in nats, worse larger"],
    ["mismatch_kl/all/max", "largest k3 of a token in nats, worse larger"],
    ["mismatch_kl/math/max", "largest k3 of a token in nats, worse larger"],
    ["Mismatch KL", `${K3} *`],
    ["kl_ent_ratio/mean", "k3 over the mean entropy, worse larger"],
    ["is_masked/mean", "share of tokens dropped, worse larger *"],
    ["is_masked/math/mean", "share of tokens dropped, worse larger *"],
  ],
  roll: [
    ["train_infer_ratio_token_mean", RATIO],
    ["train_infer_ratio_token_mean@sum", RATIO],
    ["train_infer_diff_token_mean", "mean of trainer − rollout probability, worse away from 0"],
    ["train_infer_diff_token_mean@sum", "mean of trainer − rollout probability, worse away from 0"],
  ],
  "open-instruct": [
    ["debug/vllm_vs_local_logprob_diff_mean", `${ABS} *~`],
    ["debug/vllm_vs_local_logprob_diff_max", `${ABS_MAX} *~`],
    ["debug/vllm_local_reverse_kl", "mean of p rollout × (rollout − trainer) in nats, worse away from 0"],
  ],
  tinker: [
    ["optim/kl_sample_train_v1", K1],
    ["optim/kl_sample_train_v2", "k2 in nats, k2, worse larger"],
  ],
  rllm: [
    ["offpolicy/kl", K1],
    ["offpolicy/k3_kl", K3],
    ["offpolicy/logprob_abs_diff/mean", ABS],
    ["offpolicy/logprob_abs_diff/max", ABS_MAX],
    ["offpolicy/prob_abs_diff/mean", "mean |Δp|, prob_diff_mean, worse larger"],
    ["offpolicy/prob_abs_diff/max", "largest |Δp|, prob_diff_max, worse larger"],
    ["offpolicy/prob_pearson_corr", "Pearson of the probabilities, pearson, worse smaller"],
    ["offpolicy/ratio/mean", `${RATIO} *`],
    ["offpolicy/ratio/min", `${EXTREME} *`],
    ["offpolicy/chi2_token", `${CHI2} *`],
    ["offpolicy/log_ppl_abs_diff", `${PPL_ABS} *`],
  ],
  RLinf: [
    ["actor/rollout_train_kl", `${ABS} *`],
    ["actor/behav_approx_kl", `${K1} *~`],
    ["actor/behav_clip_fraction", "share of tokens above the bound, worse larger"],
  ],
  torchtitan: [
    ["bit_wise/logprob_diff/mean", "mean Δ in nats, delta_mean, worse away from 0"],
    ["bit_wise/logprob_diff/max", ABS_MAX],
    ["bit_wise/ratio_tokens_different/mean", "share of tokens with |Δ| above 1e-6, worse larger"],
  ],
  "verl-omni": [
    ["rollout_corr/logprob_abs_diff_mean", ABS],
    ["rollout_corr/logprob_abs_diff_max", ABS_MAX],
  ],
  Unsloth: [
    ["sampling/rollout_kl_k1/mean", K1],
    ["sampling/rollout_kl_k3/mean", K3],
    ["sampling/rollout_kl_k3/max", "largest k3 of a token in nats, worse larger"],
    ["sampling/importance_sampling_ess", `${ESS} *~`],
    ["sampling/importance_sampling_rejected_frac", "share that the correction drops, worse larger"],
    ["sampling/importance_sampling_rejected_seq_frac", "share that the correction drops, worse larger"],
  ],
  "ms-swift": [
    ["rollout_correction/k3_kl", `${K3} *`],
    ["rollout_correction/kl", `${K1} *`],
    ["rollout_correction/chi2_token", `${CHI2} *`],
    ["rollout_correction/ppl_ratio", `${PPL_RATIO} *`],
    ["rollout_correction/chi2_seq", `${CHI2_SEQ} *`],
    ["rollout_correction/ess", `${ESS} *~`],
    ["rollout_correction/is_weight_mean", `${RATIO} *~`],
  ],
};

function describeMetric({ meaning, unit, figure, worse, neutral, quirk, isBent }: RecognisedMetric): string {
  const from = worse === "away" ? ` from ${neutral ?? 0}` : neutral === undefined ? "" : ` from ${neutral}`;
  const marks = `${quirk ? "*" : ""}${isBent ? "~" : ""}`;
  const parts = [`${meaning}${unit === "" ? "" : ` in ${unit}`}`, figure, `worse ${worse}${from}`];
  return `${parts.filter((part) => part !== undefined).join(", ")}${marks === "" ? "" : ` ${marks}`}`;
}

describe.each(Object.entries(KEYS))("metrics of %s", (trainer, keys) => {
  it.each(keys)("%s", (key, is) => {
    const metric = recogniseMetric(key);
    expect(metric).toMatchObject({ trainer, key });
    expect(describeMetric(metric!)).toBe(is);
    if (metric!.quirk !== undefined) expect(metric!.quirk).toMatch(/\w+ \w+/);
  });

  it.each(keys)("%s is found behind what loggers put before it, and nowhere else", (key) => {
    const known = recogniseMetric(key);
    for (const prefix of ["run-1/", "actor.", "a/b/"])
      expect(recogniseMetric(`${prefix}${key}`)).toEqual(known);
    for (const other of [`x${key}`, `${key}_x`, `${key}/x`, key.slice(0, -1), key.replaceAll("_", "")]) {
      if (other !== key) expect(recogniseMetric(other)?.meaning, other).not.toBe(known!.meaning);
    }
  });
});

it("tells dropped tokens from kept ones, whatever stands before", () => {
  for (const prefix of ["", "train/", "run.x/"]) {
    expect(recogniseMetric(`${prefix}unmasked_mismatch_kl/mean`)?.key).toBe("unmasked_mismatch_kl/mean");
    expect(recogniseMetric(`${prefix}masked_mismatch_kl/mean`)?.key).toBe("masked_mismatch_kl/mean");
  }
});

it("leaves everything else alone", () => {
  for (const key of ["loss", "actor/kl", "kl", "reward/mean", "rollout_corr/", "train/", "is_masked", ""])
    expect(recogniseMetric(key)).toBeUndefined();
});

it.each([
  ["policy/rollout_train_logprobs_abs_diff_mean:mean", "policy/rollout_train_logprobs_abs_diff_mean"],
  ["policy/rollout_train_logprobs_abs_diff_max:max", "policy/rollout_train_logprobs_abs_diff_max"],
  ["rollout_corr/kl/mean", "rollout_corr/kl"],
  ["run/gen_kl_error_mean", "gen_kl_error"],
  ["train/mis_kl/avg", "train/mis_kl"],
])("%s: the reducer is not part of the key", (name, key) => {
  expect(recogniseMetric(name)).toEqual(recogniseMetric(key));
  expect(recogniseMetric(name)!.key).toBe(key);
});

it.each([
  ["train/ois", "ratio to the policy before the update"],
  ["run/train/ppo_kl", "KL to the policy before the update"],
  ["actor/ppo_kl", "KL to the policy before the update"],
  ["train/probs_ratio", "ratio to the policy before the update"],
  ["probs_ratio_clamped_max", "ratio to the policy before the update"],
  ["reinforce_kl/ratio_mean", "ratio to the policy before the update"],
  ["actor/proximal_ratio", "ratio to the policy before the update"],
])("%s is no mismatch metric: %s", (name, meaning) => {
  expect(recogniseMetric(name)).toBeUndefined();
  expect(recogniseLookAlike(name)).toBe(meaning);
});
