import { type LoggedKeys, RATIO } from "../shared/logged-keys.ts";

/** roll/utils/train_infer_corrections.py */
export const logged: LoggedKeys = {
  mismatch: [
    { key: /train_infer_ratio_token_mean(?:@sum)?$/, ...RATIO },
    {
      key: /train_infer_diff_token_mean(?:@sum)?$/,
      meaning: "mean of trainer − rollout probability",
      unit: "",
      worse: "away",
    },
  ],
  run: {
    entropy: ["critic/entropy/mean"],
    clip_low: ["actor/ppo_ratio_low_clipfrac"],
    clip_high: ["actor/ppo_ratio_high_clipfrac"],
    clip: ["actor/ppo_ratio_clipfrac"],
    grad_norm: ["actor_train/grad_norm"],
  },
};
