import { describe, expect, it } from "vitest";
import { PRESETS, presetNamed } from "./presets.ts";
import type { Settings, Trap } from "./shared/preset.ts";
import { completeSettings } from "./shared/settings.ts";

/**
 * What a trap says, the settings that it is about, settings beside them that it must not speak of, and its severity and
 * code in the linter.
 */
type Row = readonly [says: RegExp, fires: Settings, quiet: Settings | null, grade?: string];

const XTUNER = { rollout_is_threshold: [2, 0.5], rollout_is_mask_threshold: [5, 0.1] } as const;
const SEQ_MASK = { is_correction_type: "seq-mask-tis" };
const TYPE = "truncated_importance_sampling_type";
const NEMO = { [TYPE]: "seq-mask-tis", truncated_importance_sampling_ratio: 1.002 };
const RATIO_MIN = "truncated_importance_sampling_ratio_min";

const TRAPS: Readonly<Record<string, readonly Row[]>> = {
  verl: [
    [/nothing is corrected, only metrics are logged/, {}, { rollout_is: "token" }],
    [
      /threshold is null: verl then computes no weights/,
      { rollout_is: "token", rollout_is_threshold: null },
      { rollout_is: "token" },
      "error not-switched-on",
    ],
    [
      /multiplies the ratios of all tokens/,
      { rollout_is: "sequence" },
      { rollout_is: "token" },
      "warning product-ratio",
    ],
    [
      /clamps from above only: weights below 0\.5 stay/,
      { rollout_is: "token" },
      { rollout_is: "token", rollout_is_threshold: "0.5_2.0" },
    ],
    [
      /is IcePop: weights outside \[0\.5, 2\.0\] become 0/,
      { rollout_is: "token", rollout_is_threshold: "0.5_2.0" },
      { rollout_is: "token" },
      "warning icepop",
    ],
    [
      /weights can exceed 2\.0 where the batch mean is below 1/,
      { rollout_is: "token", rollout_is_batch_normalize: true },
      { rollout_is: "token" },
      "warning normalized-after",
    ],
    [
      /the single number 2\.0 means 0\.5_2\.0/,
      { rollout_rs: "token_k1", rollout_rs_threshold: 2 },
      { rollout_rs: "token_k1", rollout_rs_threshold: "0.5_2.0" },
      "warning reciprocal-bound",
    ],
    [
      /it keeps ρ in \[0\.2, 2\], not in \[0\.5, 5\]; for the latter write "0\.2_2\.0"/,
      { rollout_rs: "token_k1", rollout_rs_threshold: "0.5_5.0" },
      { rollout_rs: "token_k1", rollout_rs_threshold: "0.2_5.0" },
      "error bounds-inverted",
    ],
    [
      /it keeps ρ in/,
      { rollout_rs: "seq_mean_k1", rollout_rs_threshold: "0.99_1.02" },
      { rollout_rs: "seq_mean_k1", rollout_rs_threshold: "0.999_1.001" },
      "warning bounds-inverted",
    ],
    [
      /it keeps ρ in \[1, 1\], not in \[1, 1\]/,
      { rollout_rs: "token_k1", rollout_rs_threshold: "0.99999_1.00002" },
      null,
      "drop bounds-inverted",
    ],
    [
      /does not contain 1/,
      { rollout_rs: "token_k1", rollout_rs_threshold: "1.1_2.0" },
      { rollout_rs: "token_k1", rollout_rs_threshold: "1.0_2.0" },
      "drop bounds-exclude-agreement",
    ],
    [
      /does not contain 1/,
      { rollout_rs: "token_k1", rollout_rs_threshold: "0.5_0.9" },
      { rollout_rs: "token_k1", rollout_rs_threshold: "0.5_1.0" },
      "drop bounds-exclude-agreement",
    ],
    [
      /a sum grows with length/,
      { rollout_rs: "seq_sum_k2", rollout_rs_threshold: 0.5 },
      { rollout_rs: "seq_mean_k2", rollout_rs_threshold: 0.5 },
    ],
    [
      /logged as the maximum/,
      { rollout_rs: "seq_max_k2", rollout_rs_threshold: 0.5 },
      { rollout_rs: "seq_mean_k2", rollout_rs_threshold: 0.5 },
    ],
    [
      /upper bound in nats on k3, not a ratio/,
      { rollout_rs: "token_k3", rollout_rs_threshold: 1 },
      { rollout_rs: "token_k3", rollout_rs_threshold: 0.99 },
      "warning not-a-ratio",
    ],
    [
      /shared by all options: a ratio for token_k1, nats for token_k3/,
      { rollout_rs: "token_k1,token_k3", rollout_rs_threshold: 2 },
      { rollout_rs: "token_k1,token_k3", rollout_rs_threshold: "2,0.1" },
      "warning shared-threshold",
    ],
    [
      /unquoted, 1_2 is the number 12\.0 to YAML/,
      { rollout_is: "token", rollout_is_threshold: "1_2" },
      { rollout_is: "token", rollout_is_threshold: "1_2.0" },
      "drop read-as-number",
    ],
  ],
  xtuner: [
    [/no weights and no mask/, {}, XTUNER],
    [
      /mask_threshold is set but has no effect/,
      { rollout_is_mask_threshold: [5, 0.1] },
      {},
      "drop not-switched-on",
    ],
    [
      /veto_threshold is set but has no effect/,
      { rollout_is_veto_threshold: [20, 1e-4] },
      {},
      "drop not-switched-on",
    ],
    [/\(upper, lower\) = \(2\.0, 0\.5\)/, XTUNER, {}, "note order"],
    [
      /clamps weights on both sides, so those below 0\.5/,
      XTUNER,
      { ...XTUNER, rollout_is_mode: "mask" },
      "warning clamps-both-sides",
    ],
    [
      /does not contain 1: sequences/,
      {
        ...XTUNER,
        rollout_is_mode: "both",
        rollout_is_level: "sequence",
        rollout_is_mask_threshold: [5, 1.1],
      },
      { ...XTUNER, rollout_is_mode: "both", rollout_is_level: "sequence", rollout_is_mask_threshold: [5, 1] },
      "drop bounds-exclude-agreement",
    ],
    [
      /which mask mode does not clamp/,
      { ...XTUNER, rollout_is_mode: "mask" },
      { ...XTUNER, rollout_is_mode: "both" },
    ],
    [
      /mask_threshold has no effect in mode truncate/,
      XTUNER,
      { ...XTUNER, rollout_is_mode: "both" },
      "warning no-effect",
    ],
    [
      /level sequence multiplies/,
      { ...XTUNER, rollout_is_level: "sequence" },
      { ...XTUNER, rollout_is_level: "geometric" },
      "warning product-ratio",
    ],
    [
      /outside \[0\.0001, 20\.0\] masks its whole sequence/,
      { ...XTUNER, rollout_is_veto_threshold: [20, 1e-4] },
      XTUNER,
    ],
  ],
  trl: [
    [
      /False: the mode and both clips are ignored/,
      { vllm_importance_sampling_correction: false },
      {},
      "drop not-switched-on",
    ],
    [
      /token_mask sets the weight to 0/,
      { vllm_importance_sampling_mode: "token_mask" },
      { vllm_importance_sampling_mode: "token_truncate" },
    ],
    [
      /long sequences leave the bounds and are lost/,
      { vllm_importance_sampling_mode: "sequence_mask" },
      { vllm_importance_sampling_mode: "sequence_truncate" },
      "warning product-ratio",
    ],
    [
      /long sequences end at a bound or near 0/,
      { vllm_importance_sampling_mode: "sequence_truncate" },
      { vllm_importance_sampling_mode: "sequence_mask" },
      "warning product-ratio",
    ],
    [/not clamped in log space/, {}, { vllm_importance_sampling_mode: "token_mask" }],
    [/clip_min=None: ratios near 0 stay/, {}, { vllm_importance_sampling_clip_min: 0.5 }],
    [/both clips are None/, { vllm_importance_sampling_clip_max: null }, {}, "warning no-bounds"],
    [/its max never exceeds clip_max/, {}, { vllm_importance_sampling_correction: false }],
    [/drops more in later updates/, { off_policy_mask_threshold: 0.1 }, {}],
  ],
  slime: [
    [
      /a ratio under tis_clip_low is raised to it/,
      {},
      { custom_tis_function_path: "x.icepop_function" },
      "note clamps-both-sides",
    ],
    [/icepop_function zeroes the loss/, { custom_tis_function_path: "x.icepop_function" }, {}],
    [
      /IcePop then drops nothing from below/,
      { custom_tis_function_path: "x.icepop_function" },
      { custom_tis_function_path: "x.icepop_function", tis_clip_low: 0.5 },
      "warning half-open",
    ],
    [/before the clamp; train\/tis_clipfrac/, {}, { use_tis: false }],
    [/without use_tis nothing corrects/, { use_tis: false }, { use_tis: false, use_rollout_logprobs: true }],
    [
      /change the loss although use_tis is off/,
      { use_tis: false, get_mismatch_metrics: true, custom_tis_function_path: "x.vanilla_tis_function" },
      { get_mismatch_metrics: true, custom_tis_function_path: "x.vanilla_tis_function" },
    ],
    [/inside the PPO ratio/, { use_tis: false, use_rollout_logprobs: true }, { use_tis: false }],
    [
      /does not see the mismatch and drops nothing/,
      { use_opsm: true },
      { use_tis: false, use_opsm: true, use_rollout_logprobs: true },
    ],
  ],
  "slime-mis": [
    [/use_tis false: rejection and veto do nothing/, { use_tis: false }, {}],
    [
      /null means 1 \/ tis_upper_bound: 0\.25/,
      { tis_lower_bound: null, tis_upper_bound: 4 },
      {},
      "warning reciprocal-bound",
    ],
    [
      /does nothing in truncate mode/,
      { rs_lower_bound: 0.5, rs_upper_bound: 2 },
      { rs_lower_bound: 0.5, rs_upper_bound: 2, tis_mode: "mask" },
      "note no-effect",
    ],
    [/does nothing in truncate mode/, { use_rs: false }, {}, "note no-effect"],
    [/mask mode keeps weights as they are/, { tis_mode: "mask" }, {}],
    [/null are the weight's: 0\.5 to 2, so what/, {}, { rs_lower_bound: 0.1, rs_upper_bound: 3 }],
    [/null are the weight's: 0\.1 to 2/, { rs_lower_bound: 0.1 }, { use_rs: false }],
    [/which has another scale/, { rs_level: "geometric" }, {}],
    [/leave the numerator only/, {}, { use_rs: false }],
    [/a huge one vetoes nothing/, {}, { rs_veto_threshold: null }, "note half-open"],
    [/veto_threshold does nothing without use_rs/, { use_rs: false }, {}, "drop not-switched-on"],
    [/grows with length/, { tis_level: "sequence" }, { tis_level: "geometric" }, "warning product-ratio"],
    [
      /grows with length/,
      { rs_level: "sequence" },
      { rs_level: "sequence", use_rs: false },
      "warning product-ratio",
    ],
    [/original mask, so weights can exceed/, {}, { tis_batch_normalize: false }],
  ],
  miles: [[/counts NaN and infinite differences as 0/, {}, null]],
  unsloth: [[/leaves the mask/, {}, { vllm_importance_sampling_mode: "token_truncate" }]],
  rlinf: [
    [/caps from above only/, {}, { importance_sampling_fix: false }],
    [/caps nothing/, { behave_weight_threshold: 2 }, {}, "warning raw-weights"],
  ],
  openrlhf: [
    [/nothing is corrected, and neither/, { is_correction_level: "off" }, {}],
    [/gspo ignores is_correction_mode/, { policy_loss_type: "gspo" }, {}, "drop not-switched-on"],
    [/a ratio under 0\.5 is raised to 0\.5/, { is_correction_mode: "clip" }, {}, "warning clamps-both-sides"],
    [/mask sets the weight to 0/, {}, { is_correction_mode: "clip" }],
    [
      /is nats of binary KL, not a ratio/,
      { is_correction_gating: "binary_kl", is_correction_threshold: [0, 0.01] },
      {},
      "note not-a-ratio",
    ],
    [
      /often rounds to less than 0.*is_correction_threshold -0\.001 0\.01 keeps them/,
      { is_correction_gating: "binary_kl", is_correction_threshold: [0, 0.01] },
      { is_correction_gating: "binary_kl", is_correction_threshold: [-0.001, 0.01] },
      "warning rounds-below-zero",
    ],
    [
      /is a difference of probabilities, not a ratio/,
      { is_correction_gating: "tv", is_correction_threshold: [0, 0.1] },
      {},
      "note not-a-ratio",
    ],
    [/keeps its raw, untruncated/, { is_correction_level: "seq" }, {}, "warning raw-weights"],
    [
      /so 0\.9 to 1\.11 rejects next to nothing/,
      { is_correction_level: "seq", is_correction_threshold: [0.9, 1.11] },
      { is_correction_level: "seq", is_correction_threshold: [0.9, 1.1] },
    ],
  ],
  "openrlhf-0.11.1": [
    [/nothing is corrected and vllm_kl is not logged/, { is_correction_enable: false }, {}],
    [/gspo ignores is_correction_type/, { policy_loss_type: "gspo" }, {}, "drop not-switched-on"],
    [
      /a ratio under 0\.5 is raised to 0\.5/,
      {},
      { is_correction_type: "icepop" },
      "warning clamps-both-sides",
    ],
    [/icepop multiplies by 0/, { is_correction_type: "icepop" }, {}],
    [/keeps raw, untruncated/, SEQ_MASK, {}, "warning raw-weights"],
    [
      /to 1\.1 rejects next to nothing/,
      { ...SEQ_MASK, is_correction_threshold: [0.89, 1.1] },
      { ...SEQ_MASK, is_correction_threshold: [0.9, 1.1] },
    ],
    [
      /so 0\.9 to 1\.\d+ rejects next to nothing/,
      { ...SEQ_MASK, is_correction_threshold: [0.9, 1.11] },
      { ...SEQ_MASK, is_correction_threshold: [0.9, 1.1] },
    ],
  ],
  "nemo-rl": [
    [/corrects nothing/, { use_importance_sampling_correction: false }, {}],
    [
      /raw ratios multiply the loss/,
      {},
      { [TYPE]: "tis", truncated_importance_sampling_ratio: 2 },
      "warning raw-weights",
    ],
    [/become weight 0 \(nan_to_num\)/, {}, { use_importance_sampling_correction: false }, "note nan"],
    [
      /ratios under (\S+), .* are raised to \1$/,
      { [TYPE]: "tis", truncated_importance_sampling_ratio: 2, [RATIO_MIN]: 0.5 },
      { [TYPE]: "tis", truncated_importance_sampling_ratio: 2, [RATIO_MIN]: 0 },
    ],
    [
      /icepop zeroes the weight/,
      { [TYPE]: "icepop", truncated_importance_sampling_ratio: 5, [RATIO_MIN]: 0.5 },
      { ...NEMO, [RATIO_MIN]: 0.999 },
    ],
    [/keeps raw, untruncated/, { ...NEMO, [RATIO_MIN]: 0.999 }, {}, "warning raw-weights"],
    [/to 1\.002 rejects next to nothing/, { ...NEMO, [RATIO_MIN]: 0.89 }, { ...NEMO, [RATIO_MIN]: 0.9 }],
    [
      /the sequence ratio is a product/,
      { sequence_level_importance_ratios: true, token_level_loss: false },
      {},
    ],
    [/bounds the mean of exp\|Δ\|/, { seq_logprob_error_threshold: 2 }, {}],
    [/is below 1, the least/, { seq_logprob_error_threshold: 0.99 }, { seq_logprob_error_threshold: 1 }],
  ],
  skyrl: [
    [
      /outside 0\.8 to 1\.2 to 0, whatever/,
      { policy_loss_type: "rollout_is" },
      { policy_loss_type: "dppo" },
      "warning icepop",
    ],
    [
      /differences of probabilities, not ratios/,
      { policy_loss_type: "dppo" },
      { policy_loss_type: "dppo", "dppo.dppo_type": "binary_kl" },
      "note not-a-ratio",
    ],
    [
      /clamps weights and drops no token/,
      { policy_loss_type: "cispo", "cispo.cispo_anchor": "rollout" },
      { policy_loss_type: "cispo" },
    ],
    [/later updates on a batch/, { policy_loss_type: "dppo" }, { policy_loss_type: "regular" }],
    [
      /only token_mask_is_threshold_high is set/,
      { token_mask_is_threshold_high: 2 },
      {},
      "drop not-switched-on",
    ],
    [
      /only token_mask_is_threshold_low is set/,
      { token_mask_is_threshold_low: 0.5 },
      { token_mask_is_threshold_low: 0.5, token_mask_is_threshold_high: 2 },
      "drop not-switched-on",
    ],
    [
      /switches rollout log-probs on by itself only/,
      { outlier_token_is_threshold_high: 100 },
      { outlier_token_is_threshold_high: 100, tis_ratio_type: "token" },
    ],
    [/capped from above only/, { tis_ratio_type: "token" }, {}],
    [
      /the sequence weight is a product/,
      { tis_ratio_type: "sequence" },
      { tis_ratio_type: "token" },
      "warning product-ratio",
    ],
    [
      /leaves its bounds as sequences grow/,
      { sequence_mask_metric: "product" },
      { sequence_mask_metric: "geometric" },
      "warning product-ratio",
    ],
    [
      /the token mask comes first/,
      { token_mask_is_threshold_low: 0.5, token_mask_is_threshold_high: 2, tis_ratio_type: "sequence" },
      { token_mask_is_threshold_low: 0.5, token_mask_is_threshold_high: 2, tis_ratio_type: "token" },
      "warning product-ratio",
    ],
    [/also leave the denominator/, { sequence_mask_metric: "geometric" }, { tis_ratio_type: "token" }],
    [/the std grows with padding/, { tis_ratio_type: "token" }, {}, "note metric"],
  ],
  areal: [
    [/switches off the behavior weight too/, { level: null }, {}],
    [/Filtering will be ignored/, { use_decoupled_loss: false }, {}, "drop not-switched-on"],
    [/dropped tokens still count/, {}, { action: "clamp" }],
    [/lower null: tokens whose probability collapsed/, {}, { lower: 0.5 }, "note half-open"],
    [
      /lower null: tokens whose probability collapsed/,
      { metric: "kl_k1" },
      { metric: "kl_k2" },
      "note half-open",
    ],
    [/the opposite sign of k1/, { metric: "kl_k1" }, { metric: "kl_k2" }],
    [/explodes for tokens whose probability fell/, { metric: "kl_k3" }, { metric: "kl_k2" }],
    [/metric kl_k2 decides what is dropped/, { metric: "kl_k2" }, {}],
    [/geometric mean of its ratios whatever agg is$/, { level: "sequence" }, {}, "warning geometric"],
    [
      /whatever agg is; agg max only decides what is dropped/,
      { level: "sequence", agg: "max" },
      { level: "sequence" },
      "warning geometric",
    ],
    [
      /only decides what is clamped/,
      { level: "sequence", agg: "max", action: "clamp" },
      { level: "sequence", agg: "max" },
      "warning geometric",
    ],
    [/agg sum grows with length/, { level: "sequence", agg: "sum" }, { level: "sequence", agg: "max" }],
    [/agg max is ignored at token level/, { agg: "max" }, {}],
    [/agg max is ignored at token level/, { agg: "max" }, { level: "sequence", agg: "max" }],
    [/agg sum grows with length/, { level: "sequence", agg: "sum" }, { agg: "sum" }],
    [
      /geometric mean of its ratios/,
      { level: "sequence" },
      { level: "sequence", metric: "kl_k2" },
      "warning geometric",
    ],
    [/lower null: tokens whose probability collapsed/, {}, { metric: "kl_k3" }, "note half-open"],
    [/decides what is dropped; the weight is the raw/, { metric: "kl_k1" }, {}],
  ],
  "prime-rl": [
    [/dppo_mask_low is 1 or more/, { dppo_mask_low: 1 }, { dppo_mask_low: 0.99 }, "error not-a-ratio"],
    [/dppo_mask_high is 1 or more/, { dppo_mask_high: 1 }, { dppo_mask_low: 1 }, "error not-a-ratio"],
  ],
  "prime-rl-ipo": [[/eps is 1 or more/, { eps: 1 }, { eps: 0.99 }, "error not-a-ratio"]],
  "prime-rl-icepop": [[/still count in the loss's denominator/, {}, null, "note icepop"]],
  "prime-rl-kpop": [
    [/nats of binary KL, not a ratio/, {}, null, "note not-a-ratio"],
    [/the importance ratio is not clamped/, {}, null, "note raw-weights"],
  ],
  "verl-dppo": [
    [/differences of probabilities here/, {}, { loss_mode: "dppo_kl" }, "note not-a-ratio"],
    [/nats of binary KL here/, { loss_mode: "dppo_kl" }, {}, "note not-a-ratio"],
    [/later updates on a batch/, {}, null],
    [/caps the ratio at 3/, {}, { clip_ratio_c: 20 }],
  ],
  roll: [
    [/upper_bound 1\.2 is ROLL's default/, {}, { "is_weight.upper_bound": 1.3 }, "warning default-surprises"],
    [/multiplies the loss unbounded/, { "is_weight.upper_bound": null }, {}, "warning no-bounds"],
    [/clamped from above only/, {}, { "is_weight.enabled": false }],
    [/a product without a clamp/, { "is_weight.weight_type": "sequence" }, {}, "warning product-ratio"],
    [
      /a difference of probabilities/,
      { filters: "sequence:diff:-0.2:0.2" },
      { filters: "sequence:ratio:0.5:2" },
    ],
    [
      /is a sum over tokens/,
      { filters: "sequence:diff:-0.2:0.2" },
      { filters: "token:diff:-0.2:0.2" },
      "warning product-ratio",
    ],
    [
      /a diff filter also filters ratios/,
      { filters: "token:diff:-0.2:0.2" },
      { filters: "token:ratio:0.5:2" },
      "drop default-surprises",
    ],
    [/divide by response tokens, so they exceed 1/, { filters: "token:ratio:0.5:2" }, {}],
    [
      /is the geometric mean over a turn/,
      { "is_weight.weight_type": "segment" },
      { "is_weight.weight_type": "geometric" },
      "warning geometric",
    ],
    [
      /counts prompt and padding of a clipped sequence/,
      { "is_weight.weight_type": "geometric" },
      { "is_weight.weight_type": "geometric", "is_weight.upper_bound": null },
    ],
  ],
  "open-instruct": [
    [/every weight is 1, though/, { use_rho_correction: false }, {}],
    [/use_vllm_logprobs cannot be on as well/, {}, { use_rho_correction: false }, "drop conflict"],
    [/off, not a clamp to 0/, { rho_clamp_upper_bound: 0 }, {}, "warning zero-is-off"],
    [/rho_clamp_lower_bound 0\.0 is off/, {}, { rho_clamp_lower_bound: 0.5 }, "note zero-is-off"],
    [/which is off: nothing is dropped/, {}, { rho_mask_upper_bound: 2 }, "note zero-is-off"],
    [/get weight 0 and still count/, { rho_mask_upper_bound: 2 }, {}],
    [
      /every token gets its row's geometric mean/,
      { rho_mask_sequence_level: true },
      {},
      "warning sequence-level",
    ],
    [/yet rho_mask_upper_bound must be above 1/, { rho_mask_tv_divergence: true }, {}],
    [
      /those that agree best/,
      { rho_mask_tv_divergence: true, rho_mask_lower_bound: 0.5 },
      { rho_mask_tv_divergence: true, rho_mask_upper_bound: 2 },
    ],
    [
      /without bounds does nothing/,
      { rho_mask_tv_divergence: true },
      { rho_mask_tv_divergence: true, rho_mask_upper_bound: 2 },
    ],
    [
      /takes over the mask/,
      { rho_mask_tv_divergence: true, rho_mask_sequence_level: true },
      { rho_mask_tv_divergence: true },
      "warning sequence-level",
    ],
  ],
  "ms-swift": [
    [/is None by default/, {}, { rollout_importance_sampling_mode: null }],
    [
      /no mismatch metric is logged at all/,
      { rollout_importance_sampling_mode: null },
      { rollout_importance_sampling_mode: null, log_rollout_offpolicy_metrics: true },
    ],
    [
      /sequence means the geometric mean/,
      { rollout_importance_sampling_mode: "sequence_truncate" },
      {},
      "warning geometric",
    ],
    [
      /only decides by the geometric mean/,
      { rollout_importance_sampling_mode: "sequence_mask" },
      { rollout_importance_sampling_mode: "sequence_truncate" },
      "warning raw-weights",
    ],
    [
      /token_mask sets the weight to 0/,
      { rollout_importance_sampling_mode: "token_mask" },
      { rollout_importance_sampling_mode: "token_truncate" },
    ],
    [/OPSM takes sequences out of the mask/, { off_policy_sequence_mask_delta: 0.1 }, {}],
  ],
};

describe.each(Object.entries(TRAPS))("traps of %s", (name, rows) => {
  const preset = presetNamed(name);
  const told = (settings: Settings): readonly Trap[] => preset.traps(completeSettings(preset, settings));

  const graded = rows.map(
    ([says, fires, quiet, grade = "note trap"]) => [says, fires, quiet, grade] as const,
  );

  it.each(graded)("%s", (says, fires, quiet, grade) => {
    const grades = told(fires)
      .filter((trap) => says.test(trap.says))
      .map(({ severity = "note", code = "trap" }) => `${severity} ${code}`);
    expect(grades).toEqual([grade]);
    if (quiet !== null) expect(told(quiet).filter((trap) => says.test(trap.says))).toEqual([]);
  });

  it("point at settings that the preset has", () => {
    const known = preset.parameters.map((parameter) => parameter.name);
    const named = rows.flatMap(([, fires]) => told(fires).flatMap(({ setting = [] }) => setting));
    expect(named.filter((setting) => !known.includes(setting))).toEqual([]);
  });
});

it("has traps of every preset in the table", () => {
  expect(Object.keys(TRAPS).sort()).toEqual(PRESETS.map(({ name }) => name).sort());
});
