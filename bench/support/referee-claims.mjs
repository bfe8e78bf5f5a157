// What the diagnoses of other tools claim, in the words of the laboratory's causes, with the sentence of theirs that it is
// read from. Wide where theirs is wide: "different weights or a different input" is right for all causes of both.

const STALE = ["stale_weights", "growing_staleness", "mixed_weight_versions"];
const WEIGHTS = [
  ...STALE,
  "trainer_ahead_one_update",
  "wrong_checkpoint",
  "layer_not_synced",
  "tied_head_not_synced",
  "lora_not_merged",
  "stale_prefix_cache",
];
const INPUTS = [
  "bos_missing",
  "bos_double",
  "prompt_left_cut",
  "template_mismatch",
  "pads_attended",
  "position_ids_wrong",
  "packing_leak",
  "context_window",
  "retokenized_turns",
];
const PRECISION = [
  "weight_quantization",
  "kv_cache_quantization",
  "moe_routing_flips",
  "fp16_overflow",
  "logprob_storage_rounding",
];
const SAMPLING = [
  "temperature_mismatch",
  "truncation_renormalised",
  "truncation_unlogged",
  "penalty_mismatch",
  "greedy_zero_logprobs",
];

/**
 * By tool and diagnosis. `about`: `mismatch`, an alarm that the two sides differ; `precision`, the statement that the
 * engine's precision explains what differs, which counts where that is the fault and is no alarm elsewhere; `training`, a
 * finding about rewards, lengths or updates, which does not count: the laboratory's truth says nothing of it. `causes`:
 * what it names; empty if it names none.
 */
export const CLAIMS = {
  martingale_live: {
    stale_server: {
      about: "mismatch",
      causes: [...WEIGHTS, ...INPUTS],
      why: "the engine generated from different weights (weight sync not applied?) or from a different input",
    },
    weights_unchanged: {
      about: "training",
      causes: [],
      why: "frozen model, lr 0, or a broken optimizer",
    },
    floor_withheld: {
      about: "mismatch",
      causes: ["temperature_mismatch"],
      why: "behavior and trainer log-probs differ in temperature scaling",
    },
    floor_tail: {
      about: "mismatch",
      causes: [...PRECISION, "sudden_onset", "one_bad_step"],
      why: "the floor jumped with no confident disagreement: low-probability tokens disagree (bf16 tail effect)",
    },
    floor_jump: {
      about: "mismatch",
      causes: [...PRECISION, ...SAMPLING, "sudden_onset", "one_bad_step"],
      why: "engine config, dtype or server settings changed",
    },
    negative_lag: {
      about: "mismatch",
      causes: ["trainer_ahead_one_update"],
      why: "scored by an older step than generated them: resume mislabel or server ahead of trainer",
    },
    ess_collapse: {
      about: "mismatch",
      causes: [],
      why: "effective sample size low in a lag bucket; names no cause",
    },
    span: {
      about: "mismatch",
      causes: ["mixed_weight_versions"],
      why: "sequences span more than two weight revisions",
    },
    nan_rows: {
      about: "mismatch",
      causes: ["nan_logprobs"],
      why: "its adapters warn of rows that they refuse",
    },
  },
  martingale: {
    reference_served: {
      about: "mismatch",
      causes: [...WEIGHTS],
      why: "recompute: the engine generated from the reference weights, the trainer did not",
    },
    engine_differs: {
      about: "mismatch",
      causes: [...WEIGHTS, ...INPUTS],
      why: "recompute: the engine served different weights or inputs",
    },
    floor_withheld: {
      about: "mismatch",
      causes: ["temperature_mismatch"],
      why: "their ratio measures the temperature, not engine mismatch",
    },
    different_weights: {
      about: "mismatch",
      causes: [...WEIGHTS, ...INPUTS],
      why: "the engine generated from different weights (or a different input) than the trainer scored with",
    },
    ordinary_tokens: {
      about: "mismatch",
      causes: [...PRECISION, ...SAMPLING, ...STALE],
      why: "check dtype, sampler settings, and whether the engine's weights were actually updated",
    },
    tail: {
      about: "precision",
      causes: PRECISION,
      why: "the mismatch sits in low-probability tokens, the bf16-vs-fp32 tail effect",
    },
    staleness: { about: "mismatch", causes: STALE, why: "staleness dominates" },
    stale_lag: { about: "mismatch", causes: STALE, why: "rollouts this stale are mostly wasted" },
    negative_lag: {
      about: "mismatch",
      causes: ["trainer_ahead_one_update"],
      why: "the server serving newer weights than the trainer thinks",
    },
    mixed_revisions: {
      about: "mismatch",
      causes: ["mixed_weight_versions"],
      why: "sequences span a weight update",
    },
  },
  rldoctor: {
    clip_saturation: {
      about: "mismatch",
      causes: STALE,
      why: "check for a stale-rollout problem: the sampling policy can lag the training policy",
    },
    kl_drift: {
      about: "mismatch",
      causes: [],
      why: "far from the other policy; names learning rate and coefficient, no cause of a mismatch",
    },
    kl_pinned: {
      about: "training",
      causes: [],
      why: "equal to the reference; said of a reference, and here the other policy is the rollout",
    },
    gradient_pathology: { about: "training", causes: [], why: "gradient norms, which no recorded run has" },
    advantage_collapse: { about: "training", causes: [], why: "groups whose rewards are all equal" },
    entropy_collapse: { about: "training", causes: [], why: "exploration exhausted" },
    reward_hacking: { about: "training", causes: [], why: "reward and held-out score pull apart" },
    length_pathology: { about: "training", causes: [], why: "length and truncation" },
    reward_composition: { about: "training", causes: [], why: "one reward owns the variance" },
    plateau: { about: "training", causes: [], why: "the reward stopped rising" },
  },
  rlprobe: {
    KL_BLOWUP: {
      about: "mismatch",
      causes: ["wrong_checkpoint"],
      why: "verify that the reference model is frozen and correctly loaded",
    },
    CLIP_SATURATION: {
      about: "mismatch",
      causes: STALE,
      why: "causes: learning rate, too many epochs, stale rollouts",
    },
    REF_POLICY_DRIFT_ASYMMETRY: {
      about: "mismatch",
      causes: INPUTS,
      why: "diff the exact tokenized prompts; check chat template, BOS, system prompt",
    },
    GRAD_PATHOLOGY: {
      about: "mismatch",
      causes: ["nan_logprobs", "fp16_overflow"],
      why: "NaN or Inf, often fp16 overflow; here it is given values of log-probs that are not finite",
    },
    ENTROPY_COLLAPSE: { about: "training", causes: [], why: "exploration is dead" },
    REWARD_HACK_LENGTH: { about: "training", causes: [], why: "reward follows length" },
    FORMAT_GAMING: { about: "training", causes: [], why: "one reward saturated" },
    DEGENERATE_GROUPS: { about: "training", causes: [], why: "groups without reward variance" },
    ADV_COLLAPSE: { about: "training", causes: [], why: "advantages near zero" },
    VALUE_DIVERGENCE: { about: "training", causes: [], why: "the value head" },
    TRUNCATION_STARVE: { about: "training", causes: [], why: "responses are cut off" },
    REPETITION_SPIRAL: { about: "training", causes: [], why: "responses loop" },
    REWARD_STD_DEATH: { about: "training", causes: [], why: "rewards without variance" },
    THROUGHPUT_ROT: { about: "training", causes: [], why: "step time" },
  },
};
