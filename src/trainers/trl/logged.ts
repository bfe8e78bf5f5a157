import {
  ABS,
  ABS_MAX,
  EXTREME_RATIO,
  type LoggedKeys,
  RANKS,
  RATIO,
  SHARE,
  TRUNCATED,
} from "../shared/logged-keys.ts";

/** trl/trainer/grpo_trainer.py */
export const logged: LoggedKeys = {
  mismatch: [
    { key: /sampling\/sampling_logp_difference\/mean$/, ...ABS, quirk: RANKS },
    {
      key: /sampling\/sampling_logp_difference\/max$/,
      ...ABS_MAX,
      quirk: "a mean of the ranks' maxima",
    },
    {
      key: /sampling\/importance_sampling_ratio\/mean$/,
      ...RATIO,
      quirk: TRUNCATED,
      isBent: true,
    },
    {
      key: /sampling\/importance_sampling_ratio\/(?:min|max)$/,
      ...EXTREME_RATIO,
      quirk: TRUNCATED,
    },
    // Pull request 5243.
    { key: /sampling\/raw_importance_sampling_ratio\/mean$/, ...RATIO, quirk: RANKS },
    { key: /sampling\/raw_importance_sampling_ratio\/(?:min|max)$/, ...EXTREME_RATIO },
    {
      key: /sampling\/frac_modified_importance_sampling_ratio$/,
      ...SHARE,
      meaning: "share of weights that the bounds change",
    },
  ],
  run: {
    evaluation: ["eval_reward", "eval/reward"],
    reward: ["reward", "objective/scores"],
    // Not PPO's `objective/entropy`, which is a sum over the answer.
    entropy: ["entropy", "policy/entropy_avg"],
    flat_groups: ["frac_reward_zero_std"],
    clip_low: ["clip_ratio/low_mean"],
    clip_high: ["clip_ratio/high_mean"],
    clip: ["clip_ratio/region_mean", "policy/clipfrac_avg"],
    grad_norm: ["grad_norm"],
    // Not PPO's `objective/kl`, which is a sum over the answer.
    reference_kl: ["kl"],
    length: ["completions/mean_length", "completion_length"],
    truncated: ["completions/clipped_ratio"],
    reward_part: ["rewards/*/mean"],
  },
};
