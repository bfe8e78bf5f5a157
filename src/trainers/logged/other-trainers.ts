import {
  ABS,
  ABS_MAX,
  ESS,
  K1,
  K3,
  type LoggedKeys,
  ofFigure,
  SHARE,
  TRUNCATED,
  UPDATE_KL,
  UPDATE_RATIO,
} from "../shared/logged-keys.ts";

/** Keys of trainers of which nothing else is known here, each from the code that it names. */
export const OTHER_TRAINERS: readonly (LoggedKeys & { readonly of: string })[] = [
  {
    // rlinf/workers/actor/megatron_actor_worker.py, rlinf/algorithms/losses.py
    of: "RLinf",
    mismatch: [
      { key: /actor\/rollout_train_kl$/, ...ABS, quirk: "its name says KL" },
      {
        key: /actor\/behav_approx_kl$/,
        ...K1,
        quirk: "over the tokens whose weight stays below behave_weight_threshold",
        isBent: true,
      },
      { key: /actor\/behav_clip_fraction$/, ...SHARE, meaning: "share of tokens above the bound" },
    ],
    lookAlikes: [
      { key: /actor\/(?:clipped_)?(?:proximal_)?ratio$/, meaning: UPDATE_RATIO },
      { key: /actor\/(?:proximal_)?approx_kl$/, meaning: UPDATE_KL },
    ],
  },
  {
    // torchtitan/experiments/rl, its losses
    of: "torchtitan",
    mismatch: [
      { key: /bit_wise\/logprob_diff\/mean$/, ...ofFigure("delta_mean"), meaning: "mean Δ" },
      { key: /bit_wise\/logprob_diff\/max$/, ...ABS_MAX },
      {
        key: /bit_wise\/ratio_tokens_different\/mean$/,
        ...SHARE,
        meaning: "share of tokens with |Δ| above 1e-6",
      },
    ],
  },
  {
    // verl_omni, its rollout correction
    of: "verl-omni",
    mismatch: [
      { key: /rollout_corr\/logprob_abs_diff_mean$/, ...ABS },
      { key: /rollout_corr\/logprob_abs_diff_max$/, ...ABS_MAX },
    ],
  },
  {
    // unsloth_zoo/rl_replacements.py, 2026.10.9; beside the keys of TRL
    of: "Unsloth",
    mismatch: [
      { key: /sampling\/rollout_kl_k1\/mean$/, ...K1 },
      { key: /sampling\/rollout_kl_k3\/mean$/, ...K3 },
      {
        key: /sampling\/rollout_kl_k3\/max$/,
        meaning: "largest k3 of a token",
        unit: "nats",
        worse: "larger",
      },
      { key: /sampling\/importance_sampling_ess$/, ...ESS, quirk: TRUNCATED, isBent: true },
      {
        key: /sampling\/importance_sampling_rejected_(?:seq_)?frac$/,
        ...SHARE,
        meaning: "share that the correction drops",
      },
    ],
  },
];
