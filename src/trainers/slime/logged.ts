import {
  ABS,
  K1,
  K3,
  type LoggedKeys,
  perplexityMetrics,
  RATIO,
  SEQUENCES,
  SHARE,
  TRUNCATED,
  UPDATE_KL,
  UPDATE_RATIO,
} from "../shared/logged-keys.ts";

/** slime/backends/megatron_utils/loss.py, examples/train_infer_mismatch_helper/mis.py; miles has the same keys */
export const logged: LoggedKeys = {
  of: "slime, miles",
  mismatch: [
    { key: /train_rollout_logprob_abs_diff$/, ...ABS, quirk: SEQUENCES },
    { key: /(?:train\/)?mis_k3_kl$/, ...K3, quirk: SEQUENCES },
    { key: /(?:train\/)?mis_kl$/, ...K1, quirk: SEQUENCES },
    ...perplexityMetrics("(?:train/)?mis_", SEQUENCES),
    { key: /(?:train\/)?mis_tis_weight_before_bound$/, ...RATIO, quirk: SEQUENCES },
    {
      key: /(?:train\/)?mis_tis_weight_after_bound$/,
      ...RATIO,
      quirk: TRUNCATED,
      isBent: true,
    },
    {
      key: /(?:train\/)?mis_(?:tis_(?:truncate|clip|mask)|rs_mask)_fraction(?:_low|_high)?$/,
      ...SHARE,
      meaning: "share of weights outside the bounds",
    },
    { key: /train\/tis$/, ...RATIO, quirk: SEQUENCES },
    {
      key: /train\/tis_abs$/,
      meaning: "mean |ρ − 1|",
      unit: "",
      worse: "larger",
      quirk: SEQUENCES,
    },
    {
      key: /train\/tis_clipfrac$/,
      ...SHARE,
      meaning: "share of weights that truncation changes",
    },
  ],
  lookAlikes: [
    { key: /train\/ois$/, meaning: UPDATE_RATIO },
    { key: /train\/ppo_kl$/, meaning: UPDATE_KL },
  ],
  run: {
    reward: ["rollout/raw_reward"],
    entropy: ["train/entropy_loss"],
    clip: ["train/pg_clipfrac"],
    grad_norm: ["train/grad_norm"],
    reference_kl: ["train/kl_loss"],
    length: ["rollout/response_len/mean"],
    truncated: ["rollout/truncated_ratio", "rollout/truncated"],
  },
};
