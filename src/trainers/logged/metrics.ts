/**
 * Keys from the trainers' code, at the commits of the presets and of `parity`.
 *
 * @module
 */
import type { LoggedMetric } from "./metric.ts";

const PACKS = "a mean of means of packs: a short pack weighs as much as a long one";
const RANKS = "an unweighted mean of the means of micro-batches and ranks";
const SEQUENCES = "a mean of the sequences' means: a short response weighs as much as a long one";
const TRUNCATED = "logged after truncation or masking: it cannot pass the threshold, and hides the tail";
const ALL_ROWS = "rows without a masked token also count";
const CLAMPED = "log ratios are clamped to ±20 before squaring";

const ABS = { meaning: "mean |Δ|", unit: "nats", figure: "delta_abs_mean", worse: "larger" } as const;
const ABS_MAX = { meaning: "largest |Δ|", unit: "nats", figure: "delta_abs_max", worse: "larger" } as const;
const K1 = { meaning: "k1, mean of rollout − trainer", unit: "nats", figure: "k1", worse: "away" } as const;
const K3 = { meaning: "k3", unit: "nats", figure: "k3", worse: "larger" } as const;
const RATIO = { meaning: "mean ρ", unit: "", figure: "ratio_mean", worse: "away", neutral: 1 } as const;
const ESS = { meaning: "effective sample size", unit: "", figure: "ess", worse: "smaller" } as const;
const SHARE = { unit: "", worse: "larger" } as const;

function verl(key: RegExp, rest: Omit<LoggedMetric, "key" | "trainer">): LoggedMetric {
  return { key, trainer: "verl", ...rest };
}

const PPL = (prefix: string, trainer: string, quirk: string): LoggedMetric[] => [
  {
    key: new RegExp(`${prefix}ppl_ratio$`),
    trainer,
    meaning: "mean ratio of perplexities",
    unit: "",
    worse: "away",
    neutral: 1,
    quirk,
  },
  {
    key: new RegExp(`${prefix}log_ppl_abs_diff$`),
    trainer,
    meaning: "mean difference of log-perplexities",
    unit: "nats",
    worse: "larger",
    quirk,
  },
  {
    key: new RegExp(`${prefix}log_ppl_diff(?:_max|_min)?$`),
    trainer,
    meaning: "difference of log-perplexities",
    unit: "nats",
    worse: "away",
    quirk,
  },
  {
    key: new RegExp(`${prefix}chi2_seq$`),
    trainer,
    meaning: "χ² of sequences",
    unit: "",
    worse: "larger",
    quirk,
  },
];

/** The more specific ones first. */
export const LOGGED_METRICS: readonly LoggedMetric[] = [
  // verl/utils/debug/metrics.py and trainer/ppo/rollout_corr_helper.py
  verl(/training\/rollout_probs_diff_mean$/, {
    meaning: "mean |Δp|",
    unit: "",
    figure: "prob_diff_mean",
    worse: "larger",
  }),
  verl(/training\/rollout_probs_diff_max$/, {
    meaning: "largest |Δp|",
    unit: "",
    figure: "prob_diff_max",
    worse: "larger",
  }),
  verl(/training\/rollout_probs_diff_std$/, { meaning: "spread of |Δp|", unit: "", worse: "larger" }),
  verl(/training\/rollout_actor_probs_pearson_corr$/, {
    meaning: "Pearson of the probabilities",
    unit: "",
    figure: "pearson",
    worse: "smaller",
  }),
  verl(/rollout_corr\/kl$/, K1),
  verl(/rollout_corr\/k3_kl$/, K3),
  verl(/rollout_corr\/chi2_token$/, {
    meaning: "χ² of tokens",
    unit: "",
    figure: "chi2_token",
    worse: "larger",
    quirk: CLAMPED,
  }),
  ...PPL("rollout_corr/", "verl", ALL_ROWS),
  verl(/rollout_corr\/rollout_is_eff_sample_size$/, { ...ESS, quirk: TRUNCATED, isBent: true }),
  verl(/rollout_corr\/rollout_is_mean$/, { ...RATIO, quirk: TRUNCATED, isBent: true }),
  verl(/rollout_corr\/rollout_is_(?:max|std)$/, {
    meaning: "largest or spread of the weights",
    unit: "",
    worse: "larger",
    quirk: TRUNCATED,
  }),
  verl(/rollout_corr\/rollout_is_ratio_fraction_(?:high|low)$/, {
    ...SHARE,
    meaning: "share of weights outside the bounds",
  }),
  verl(/rollout_corr\/rollout_rs_(?:seq_)?masked_fraction$/, {
    ...SHARE,
    meaning: "share that rejection drops",
  }),
  verl(/per_round\/max_diff_value$/, {
    meaning: "mean |Δ| of the worst round",
    unit: "nats",
    worse: "larger",
  }),
  // xtuner/v1/rl/rollout_is.py
  { key: /mismatch\/mismatch_logprob_abs_diff$/, trainer: "xtuner", ...ABS, quirk: PACKS },
  { key: /mismatch\/mismatch_k3_kl$/, trainer: "xtuner", ...K3, quirk: PACKS },
  { key: /mismatch\/mismatch_kl$/, trainer: "xtuner", ...K1, quirk: PACKS },
  ...PPL("mismatch/mismatch_", "xtuner", "computed per pack, as if the pack were one sequence"),
  { key: /mismatch\/rollout_is_eff_sample_size$/, trainer: "xtuner", ...ESS, quirk: TRUNCATED, isBent: true },
  { key: /mismatch\/rollout_is_mean$/, trainer: "xtuner", ...RATIO, quirk: TRUNCATED, isBent: true },
  // trl/trainer/grpo_trainer.py
  { key: /sampling\/sampling_logp_difference\/mean$/, trainer: "trl", ...ABS, quirk: RANKS },
  {
    key: /sampling\/sampling_logp_difference\/max$/,
    trainer: "trl",
    ...ABS_MAX,
    quirk: "a mean of the ranks' maxima",
  },
  {
    key: /sampling\/importance_sampling_ratio\/mean$/,
    trainer: "trl",
    ...RATIO,
    quirk: TRUNCATED,
    isBent: true,
  },
  {
    key: /sampling\/importance_sampling_ratio\/(?:min|max)$/,
    trainer: "trl",
    meaning: "extreme ρ",
    unit: "",
    worse: "away",
    neutral: 1,
    quirk: TRUNCATED,
  },
  // slime/backends/megatron_utils/loss.py, examples/train_infer_mismatch_helper/mis.py; miles has the same keys
  { key: /train_rollout_logprob_abs_diff$/, trainer: "slime, miles", ...ABS, quirk: SEQUENCES },
  { key: /train_rollout_kl$/, trainer: "miles", ...K3, quirk: "Δ is clamped to ±10 nats" },
  { key: /(?:train\/)?mis_k3_kl$/, trainer: "slime, miles", ...K3, quirk: SEQUENCES },
  { key: /(?:train\/)?mis_kl$/, trainer: "slime, miles", ...K1, quirk: SEQUENCES },
  ...PPL("(?:train/)?mis_", "slime, miles", SEQUENCES),
  { key: /train\/tis$/, trainer: "slime, miles", ...RATIO, quirk: SEQUENCES },
  {
    key: /train\/tis_abs$/,
    trainer: "slime, miles",
    meaning: "mean |ρ − 1|",
    unit: "",
    worse: "larger",
    quirk: SEQUENCES,
  },
  {
    key: /train\/tis_clipfrac$/,
    trainer: "slime, miles",
    ...SHARE,
    meaning: "share of weights that truncation changes",
  },
  // openrlhf/models/loss.py
  { key: /vllm_kl$/, trainer: "openrlhf", ...K1, quirk: "positive and negative differences cancel" },
  // areal/trainer/ppo/actor.py
  {
    key: /behave_approx_kl\/avg$/,
    trainer: "areal",
    meaning: "mean Δ (AReaL calls it a KL)",
    unit: "nats",
    figure: "delta_mean",
    worse: "away",
    quirk: "over the tokens that rejection keeps, with the sign of Δ",
    isBent: true,
  },
  { key: /behave_imp_weight\/avg$/, trainer: "areal", ...RATIO, quirk: TRUNCATED, isBent: true },
  { key: /rs_filtered_fraction$/, trainer: "areal", ...SHARE, meaning: "share that rejection drops" },
  // nemo_rl/algorithms/loss/loss_functions.py, grpo.py
  {
    key: /(?:train\/)?token_mult_prob_error$/,
    trainer: "nemo-rl",
    meaning: "mean exp |Δ|",
    unit: "",
    worse: "larger",
    neutral: 1,
  },
  {
    key: /(?:train\/)?(?:max|mean|min)_seq_mult_prob_error(?:_after_mask)?$/,
    trainer: "nemo-rl",
    meaning: "exp |Δ| by sequences",
    unit: "",
    worse: "larger",
    neutral: 1,
  },
  {
    key: /(?:train\/)?gen_kl_error$/,
    trainer: "nemo-rl",
    ...K3,
    quirk: "k3 unless reference_policy_kl_type names another estimator",
  },
  {
    key: /(?:train\/)?policy_kl_error$/,
    trainer: "nemo-rl",
    meaning: "k3 of −Δ",
    unit: "nats",
    worse: "larger",
  },
  {
    key: /(?:train\/)?js_divergence_error$/,
    trainer: "nemo-rl",
    meaning: "Jensen-Shannon divergence",
    unit: "nats",
    worse: "larger",
  },
  {
    key: /(?:train\/)?sampling_importance_ratio$/,
    trainer: "nemo-rl",
    ...RATIO,
    quirk: TRUNCATED,
    isBent: true,
  },
  // skyrl/train/trainer.py, utils/off_policy_correction_utils.py
  { key: /policy\/(?:minibatch_)?rollout_logprobs_abs_diff_mean$/, trainer: "skyrl", ...ABS, quirk: RANKS },
  { key: /policy\/rollout_train_logprobs_abs_diff_mean$/, trainer: "skyrl", ...ABS },
  { key: /policy\/rollout_train_logprobs_abs_diff_max$/, trainer: "skyrl", ...ABS_MAX },
  {
    key: /policy\/rollout_train_logprobs_abs_diff_std$/,
    trainer: "skyrl",
    meaning: "spread of |Δ|",
    unit: "nats",
    worse: "larger",
  },
  { key: /loss_metrics\/is_ratio_mean$/, trainer: "skyrl", ...RATIO, quirk: "Δ is clamped to ±20 nats" },
  // prime_rl/trainer/rl/loss.py
  {
    key: /(?<!un)masked_mismatch_kl(?:\/[^/]+)*\/mean$/,
    trainer: "prime-rl",
    meaning: "k3 of dropped tokens",
    unit: "nats",
    worse: "larger",
    quirk: SEQUENCES,
  },
  {
    key: /unmasked_mismatch_kl(?:\/[^/]+)*\/mean$/,
    trainer: "prime-rl",
    meaning: "k3 of kept tokens",
    unit: "nats",
    worse: "larger",
    quirk: SEQUENCES,
  },
  { key: /(?:trainer_)?mismatch_kl(?:\/all)?\/mean$|trainer_mismatch_kl$/, trainer: "prime-rl", ...K3 },
  {
    key: /mismatch_kl\/[^/]+\/mean$/,
    trainer: "prime-rl",
    meaning: "k3 of an environment",
    unit: "nats",
    worse: "larger",
  },
  {
    key: /mismatch_kl\/[^/]+\/max$/,
    trainer: "prime-rl",
    meaning: "largest k3 of a token",
    unit: "nats",
    worse: "larger",
  },
  {
    key: /is_masked(?:\/[^/]+)*\/mean$/,
    trainer: "prime-rl",
    ...SHARE,
    meaning: "share of tokens dropped",
    quirk: SEQUENCES,
  },
  // roll/utils/train_infer_corrections.py
  { key: /train_infer_ratio_token_mean(?:@sum)?$/, trainer: "roll", ...RATIO },
  {
    key: /train_infer_diff_token_mean(?:@sum)?$/,
    trainer: "roll",
    meaning: "mean of trainer − rollout probability",
    unit: "",
    worse: "away",
  },
  // open_instruct/grpo_utils.py
  {
    key: /debug\/vllm_vs_local_logprob_diff_mean$/,
    trainer: "open-instruct",
    ...ABS,
    quirk: "of the last pack of a step",
    isBent: true,
  },
  {
    key: /debug\/vllm_vs_local_logprob_diff_max$/,
    trainer: "open-instruct",
    ...ABS_MAX,
    quirk: "of the last pack of a step",
    isBent: true,
  },
  {
    key: /debug\/vllm_local_reverse_kl$/,
    trainer: "open-instruct",
    meaning: "mean of p rollout × (rollout − trainer)",
    unit: "nats",
    worse: "away",
  },
  // tinker_cookbook/rl/metrics.py
  { key: /optim\/kl_sample_train_v1$/, trainer: "tinker", ...K1 },
  {
    key: /optim\/kl_sample_train_v2$/,
    trainer: "tinker",
    meaning: "k2",
    unit: "nats",
    figure: "k2",
    worse: "larger",
  },
  // swift/rlhf_trainers/grpo_trainer.py
  {
    key: /rollout_correction\/k3_kl$/,
    trainer: "ms-swift",
    ...K3,
    quirk: "Δ is clamped to ±20 and k3 to 10; a mean of micro-batches' means",
  },
  { key: /rollout_correction\/kl$/, trainer: "ms-swift", ...K1, quirk: RANKS },
  {
    key: /rollout_correction\/chi2_token$/,
    trainer: "ms-swift",
    meaning: "χ² of tokens",
    unit: "",
    figure: "chi2_token",
    worse: "larger",
    quirk: CLAMPED,
  },
  ...PPL("rollout_correction/", "ms-swift", ALL_ROWS),
  { key: /rollout_correction\/ess$/, trainer: "ms-swift", ...ESS, quirk: TRUNCATED, isBent: true },
  {
    key: /rollout_correction\/is_weight_mean$/,
    trainer: "ms-swift",
    ...RATIO,
    quirk: TRUNCATED,
    isBent: true,
  },
];
