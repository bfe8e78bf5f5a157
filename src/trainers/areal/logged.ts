import { type LoggedKeys, RATIO, SHARE, TRUNCATED } from "../shared/logged-keys.ts";

/** areal/trainer/ppo/actor.py */
export const logged: LoggedKeys = {
  mismatch: [
    {
      key: /behave_approx_kl\/avg$/,
      meaning: "mean Δ (AReaL calls it a KL)",
      unit: "nats",
      figure: "delta_mean",
      worse: "away",
      quirk: "over the tokens that rejection keeps, with the sign of Δ",
      isBent: true,
    },
    { key: /behave_imp_weight\/avg$/, ...RATIO, quirk: TRUNCATED, isBent: true },
    { key: /rs_filtered_fraction$/, ...SHARE, meaning: "share that rejection drops" },
  ],
  run: {
    reward: ["task_reward/avg"],
    entropy: ["entropy/avg"],
    clip: ["clip_ratio/avg"],
  },
};
