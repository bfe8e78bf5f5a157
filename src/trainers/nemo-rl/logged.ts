import { K3, type LoggedKeys, RATIO, TRUNCATED } from "../shared/logged-keys.ts";

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
  ],
  run: {
    evaluation: ["validation/accuracy"],
    reward: ["train/reward"],
    entropy: ["train/approx_entropy"],
    length: ["train/mean_gen_tokens_per_sample"],
  },
};
