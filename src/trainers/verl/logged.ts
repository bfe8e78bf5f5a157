import {
  ALL_ROWS,
  CLAMPED,
  ESS,
  EXTREME_RATIO,
  K1,
  K3,
  type LoggedKeys,
  ofFigure,
  perplexityMetrics,
  RATIO,
  SHARE,
  TRUNCATED,
  UPDATE_KL,
} from "../shared/logged-keys.ts";

/** verl/utils/debug/metrics.py and trainer/ppo/rollout_corr_helper.py */
export const logged: LoggedKeys = {
  mismatch: [
    { key: /training\/rollout_probs_diff_mean$/, ...ofFigure("prob_diff_mean") },
    {
      key: /training\/rollout_probs_diff_max$/,
      ...ofFigure("prob_diff_max"),
      meaning: "largest |Δp|",
    },
    { key: /training\/rollout_probs_diff_std$/, meaning: "spread of |Δp|", unit: "", worse: "larger" },
    {
      key: /training\/rollout_actor_probs_pearson_corr$/,
      meaning: "Pearson of the probabilities",
      unit: "",
      figure: "pearson",
      worse: "smaller",
    },
    { key: /rollout_corr\/kl$/, ...K1 },
    { key: /rollout_corr\/k3_kl$/, ...K3 },
    {
      key: /rollout_corr\/chi2_token$/,
      meaning: "χ² of tokens",
      unit: "",
      figure: "chi2_token",
      worse: "larger",
      quirk: CLAMPED,
    },
    ...perplexityMetrics("rollout_corr/", ALL_ROWS),
    { key: /rollout_corr\/rollout_is_eff_sample_size$/, ...ESS, quirk: TRUNCATED, isBent: true },
    { key: /rollout_corr\/rollout_is_mean$/, ...RATIO, quirk: TRUNCATED, isBent: true },
    { key: /rollout_corr\/rollout_is_(?:max|min)$/, ...EXTREME_RATIO, quirk: TRUNCATED },
    {
      key: /rollout_corr\/rollout_is_std$/,
      meaning: "spread of the weights",
      unit: "",
      worse: "larger",
      quirk: TRUNCATED,
    },
    {
      key: /rollout_corr\/rollout_is_ratio_fraction_(?:high|low)$/,
      ...SHARE,
      meaning: "share of weights outside the bounds",
    },
    {
      key: /rollout_corr\/rollout_rs_(?:seq_)?masked_fraction$/,
      ...SHARE,
      meaning: "share that rejection drops",
    },
    {
      key: /per_round\/max_diff_value$/,
      meaning: "mean |Δ| of the worst round",
      unit: "nats",
      worse: "larger",
    },
  ],
  lookAlikes: [{ key: /actor\/ppo_kl$/, meaning: UPDATE_KL }],
  run: {
    evaluation: ["val-core/*/mean@*", "val-core/*/acc", "val/test_score/*", "val/test_score"],
    reward: ["critic/score/mean", "critic/rewards/mean"],
    entropy: ["actor/entropy", "actor/entropy_loss"],
    // Not `actor/pg_clipfrac_lower`: the share that dual clipping (`clip_ratio_c`) bounds, of negative advantages.
    clip: ["actor/pg_clipfrac"],
    grad_norm: ["actor/grad_norm"],
    // Not `actor/ppo_kl`, which is the KL to the policy before the update.
    reference_kl: ["actor/kl_loss", "actor/reward_kl_penalty"],
    length: ["response_length/mean"],
    truncated: ["response_length/clip_ratio"],
  },
};
