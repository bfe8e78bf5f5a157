/**
 * open-instruct's config keys: how to recognize its configs, and mistakes that only a config can have.
 *
 * @module
 */
import { type Dialect, isTrue, type LintRule, needsSwitch } from "../shared/dialect.ts";

const CONFIG = "open_instruct/grpo_utils.py GRPOExperimentConfig";
const MASKS = ["rho_mask_lower_bound", "rho_mask_upper_bound"];

const conflict: LintRule = ({ get, found, at, settings }) => {
  const entry = get("use_vllm_logprobs");
  if (!isTrue(entry) || settings.use_rho_correction !== true) return [];
  return [
    {
      severity: "error",
      code: "conflict",
      ...at(entry),
      message: `${entry?.key} and use_rho_correction${found.has("use_rho_correction") ? "" : ", which is on by default,"} exclude each other, and open-instruct stops`,
      source: `${CONFIG}.__post_init__`,
      instead: "--use_rho_correction false, or omit --use_vllm_logprobs",
    },
  ];
};

/** 0 means off, so a bound of 0 does not bind. */
const zeroIsOff: LintRule = ({ found, at }) =>
  MASKS.flatMap((name) => {
    const entry = found.get(name);
    if (entry?.value !== 0) return [];
    return [
      {
        severity: "note" as const,
        code: "zero-is-off",
        ...at(entry),
        message: `${entry.key} 0 switches this bound off; it does not bound at 0`,
        source: `${CONFIG}, _rho_drop_masks`,
      },
    ];
  });

/** A flag of a pull request, which command lines have already. */
const proposed: LintRule = ({ get, at }) => {
  const entry = get("rho_logprob_diff_clamp");
  if (!entry) return [];
  return [
    {
      severity: "error",
      code: "refused",
      ...at(entry),
      message: `${entry.key} is of a pull request that was not merged when this was read`,
      why: "HfArgumentParser refuses arguments that it does not know; Δ is clamped to ±10 nats without it",
      source: CONFIG,
      instead: `omit ${entry.key}, unless your checkout has it`,
    },
  ];
};

export const openInstructDialect: Dialect = {
  preset: () => "open-instruct",
  sections: [""],
  callees: ["GRPOExperimentConfig"],
  example: "--rho_*",
  marks: [
    /^rho_(clamp|mask)_/,
    /^use_rho_correction$/,
    /^(num_unique_prompts_rollout|num_samples_per_prompt_rollout|apply_verifiable_reward|dataset_mixer_list)$/,
  ],
  textMarks: [/open[-_]instruct/i],
  knownKeys: ["truncated_importance_sampling_ratio_cap", "use_vllm_logprobs"],
  otherNames: [
    {
      effect: "refused",
      why: "HfArgumentParser refuses arguments that it does not know",
      source: CONFIG,
      names: { truncated_importance_sampling_ratio_cap: "--rho_clamp_upper_bound (0 for off)" },
    },
  ],
  unknownKeys: { effect: "refused", source: "HfArgumentParser: arguments that are not used" },
  rules: [
    conflict,
    zeroIsOff,
    proposed,
    needsSwitch({
      settings: [
        ...MASKS,
        "rho_clamp_lower_bound",
        "rho_clamp_upper_bound",
        "rho_mask_sequence_level",
        "rho_mask_tv_divergence",
      ],
      isOff: ({ settings }) => settings.use_rho_correction === false,
      off: "use_rho_correction is false",
      source: "open_instruct/grpo_utils.py compute_rho_correction",
      instead: "--use_rho_correction true",
    }),
    needsSwitch({
      settings: ["rho_mask_tv_divergence"],
      isOff: ({ settings }) =>
        MASKS.every((name) => Number(settings[name] ?? 0) === 0) && settings.rho_mask_tv_divergence === true,
      off: "both mask bounds are 0, which means off",
      source: "open_instruct/grpo_utils.py _rho_drop_masks",
      instead: "--rho_mask_upper_bound 0.2",
    }),
  ],
};
