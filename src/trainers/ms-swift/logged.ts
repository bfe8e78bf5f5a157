import {
  ALL_ROWS,
  CLAMPED,
  ESS,
  K1,
  K3,
  type LoggedKeys,
  perplexityMetrics,
  RANKS,
  RATIO,
  TRUNCATED,
} from "../shared/logged-keys.ts";

/** swift/rlhf_trainers/grpo_trainer.py */
export const logged: LoggedKeys = {
  mismatch: [
    {
      key: /rollout_correction\/k3_kl$/,
      ...K3,
      quirk: "Δ is clamped to ±20 and k3 to 10; a mean of micro-batches' means",
    },
    { key: /rollout_correction\/kl$/, ...K1, quirk: RANKS },
    {
      key: /rollout_correction\/chi2_token$/,
      meaning: "χ² of tokens",
      unit: "",
      figure: "chi2_token",
      worse: "larger",
      quirk: CLAMPED,
    },
    ...perplexityMetrics("rollout_correction/", ALL_ROWS),
    { key: /rollout_correction\/ess$/, ...ESS, quirk: TRUNCATED, isBent: true },
    {
      key: /rollout_correction\/is_weight_mean$/,
      ...RATIO,
      quirk: TRUNCATED,
      isBent: true,
    },
  ],
};
