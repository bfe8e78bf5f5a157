import { K3, type LoggedKeys, RATIO, SHARE, TRUNCATED, UPDATE_RATIO } from "../shared/logged-keys.ts";

/** nemo_rl/algorithms/loss/loss_functions.py, grpo.py */
export const logged: LoggedKeys = {
  mismatch: [
    {
      key: /(?:train\/)?token_mult_prob_error$/,
      meaning: "mean exp |Δ|",
      unit: "",
      worse: "larger",
      neutral: 1,
    },
    {
      key: /(?:train\/)?(?:max|mean|min)_seq_mult_prob_error(?:_after_mask)?$/,
      meaning: "exp |Δ| by sequences",
      unit: "",
      worse: "larger",
      neutral: 1,
    },
    {
      key: /(?:train\/)?gen_kl_error$/,
      ...K3,
      quirk: "k3 unless reference_policy_kl_type names another estimator",
    },
    {
      key: /(?:train\/)?policy_kl_error$/,
      meaning: "k3 of −Δ",
      unit: "nats",
      worse: "larger",
    },
    {
      key: /(?:train\/)?js_divergence_error$/,
      meaning: "Jensen-Shannon divergence",
      unit: "nats",
      worse: "larger",
    },
    {
      key: /(?:train\/)?sampling_importance_ratio$/,
      ...RATIO,
      quirk: TRUNCATED,
      isBent: true,
    },
    {
      key: /(?:train\/)?is_oob_ratio$/,
      ...SHARE,
      meaning: "share of tokens or sequences outside the bounds",
    },
    { key: /Generation KL Error$/, ...K3, quirk: "printed with four decimals" },
  ],
  lookAlikes: [{ key: /(?:train\/)?probs_ratio(?:_clamped)?(?:_min|_max)?$/, meaning: UPDATE_RATIO }],
  run: {
    evaluation: ["validation/accuracy"],
    reward: ["train/reward", "Avg Reward"],
    entropy: ["train/approx_entropy"],
    length: ["train/mean_gen_tokens_per_sample", "Mean Generation Length"],
  },
};
