import { type LoggedKeys, RATIO, SHARE, TRUNCATED } from "../shared/logged-keys.ts";

/** areal/trainer/ppo/actor.py; behave_filtered_ratio and logp_abs_diff since areal-project/AReaL#1572, after 1.0.4. */
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
    { key: /behave_filtered_ratio\/avg$/, ...SHARE, meaning: "share of tokens that rejection drops" },
    {
      key: /logp_abs_diff\/avg$/,
      meaning: "mean |rollout − policy being updated|",
      unit: "nats",
      worse: "larger",
      quirk: "grows with each update of a batch",
    },
    { key: /rs_filtered_fraction$/, ...SHARE, meaning: "share that rejection drops" },
  ],
  run: {
    reward: ["task_reward/avg"],
    entropy: ["entropy/avg"],
    clip: ["clip_ratio/avg"],
  },
};
