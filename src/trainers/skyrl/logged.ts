import { ABS, ABS_MAX, type LoggedKeys, RANKS, RATIO } from "../shared/logged-keys.ts";

/** skyrl/train/trainer.py, utils/off_policy_correction_utils.py */
export const logged: LoggedKeys = {
  mismatch: [
    { key: /policy\/(?:minibatch_)?rollout_logprobs_abs_diff_mean$/, ...ABS, quirk: RANKS },
    { key: /policy\/rollout_train_logprobs_abs_diff_mean$/, ...ABS },
    { key: /policy\/rollout_train_logprobs_abs_diff_max$/, ...ABS_MAX },
    {
      key: /policy\/rollout_train_logprobs_abs_diff_std$/,
      meaning: "spread of |Δ|",
      unit: "nats",
      worse: "larger",
    },
    { key: /loss_metrics\/is_ratio_mean$/, ...RATIO, quirk: "Δ is clamped to ±20 nats" },
  ],
  run: {
    evaluation: ["eval/all/avg_score", "eval/*/avg_score"],
    reward: ["reward/avg_raw_reward"],
    entropy: ["policy/policy_entropy"],
    clip: ["policy/ppo_clip_ratio", "policy/loss_metrics/clip_ratio"],
    grad_norm: ["policy/raw_grad_norm", "policy/grad_norm"],
    reference_kl: ["policy/policy_kl"],
    length: ["generate/avg_num_tokens"],
  },
};
