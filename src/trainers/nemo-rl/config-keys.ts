/**
 * NeMo-RL's config keys: how to recognize its configs, and mistakes that only a config can have.
 *
 * @module
 */
import { type Dialect, isTrue, type LintRule, needsSwitch } from "../shared/dialect.ts";

const LOSS = "nemo_rl/algorithms/loss/loss_functions.py ClippedPGLossFn";
const TYPE = "truncated_importance_sampling_type";

/** Features with which the trainer requires the correction. */
const insists: LintRule = ({ get, at, settings }) => {
  if (settings.use_importance_sampling_correction !== false) return [];
  const precision = get("vllm_cfg.precision");
  const cases = [
    { entry: get("async_grpo.enabled"), on: isTrue(get("async_grpo.enabled")), what: "async GRPO" },
    { entry: precision, on: precision?.value === "fp8", what: "vLLM with fp8" },
  ];
  return cases
    .filter(({ on }) => on)
    .map(({ entry, what }) => ({
      severity: "error" as const,
      code: "refused",
      ...at(entry),
      message: `NeMo-RL stops: ${what} requires use_importance_sampling_correction`,
      source: "nemo_rl/algorithms/grpo.py",
      instead: "loss_fn.use_importance_sampling_correction: true",
    }));
};

const onPolicy: LintRule = ({ get, at, settings }) => {
  const entry = get("force_on_policy_ratio");
  if (!isTrue(entry)) return [];
  return [
    {
      severity: "warning",
      code: "mismatch-from-update",
      ...at(entry),
      message:
        "force_on_policy_ratio takes the log-probs of the policy being updated as the trainer's: weights and mismatch metrics are of that policy",
      source: `${LOSS}.__call__`,
      ...(settings.use_importance_sampling_correction === false && {
        why: "and without use_importance_sampling_correction nothing corrects the gap to the rollout",
      }),
    },
  ];
};

/** A key of NVIDIA-NeMo/RL#2269, a pull request, which configs have already. */
const proposed: LintRule = ({ get, at }) => {
  const entry = get("is_correction_level");
  if (!entry) return [];
  return [
    {
      severity: "error",
      code: "no-effect",
      ...at(entry),
      message: `${entry.key} has no effect: NeMo-RL accepts the key and ignores it, and the ratio of a sequence stays the product`,
      why: "it is of a pull request (#2269) that was not merged when this was read",
      source: `${LOSS}: ClippedPGLossConfig(extra="allow")`,
      instead: "a NeMo-RL with that change, or token-level ratios: sequence_level_importance_ratios: false",
    },
  ];
};

export const nemoRlDialect: Dialect = {
  preset: () => "nemo-rl",
  sections: ["loss_fn", "grpo", ""],
  callees: ["ClippedPGLossConfig"],
  example: "loss_fn.truncated_importance_sampling_*",
  marks: [
    /^loss_fn\./,
    /^grpo\.(num_prompts_per_step|num_generations_per_prompt|max_num_steps|async_grpo)/,
    /^policy\.(generation|train_global_batch_size|megatron_cfg|dtensor_cfg)/,
  ],
  textMarks: [/nemo_rl/],
  knownKeys: [
    "ratio_clip_min",
    "ratio_clip_max",
    "ratio_clip_c",
    "use_on_policy_kl_approximation",
    "use_cispo",
    "is_correction_level",
  ],
  defaults: () => ({ use_importance_sampling_correction: false }),
  unknownKeys: {
    effect: "ignored",
    source: 'nemo_rl/algorithms/loss/loss_functions.py: ClippedPGLossConfig(extra="allow")',
  },
  rules: [
    insists,
    onPolicy,
    proposed,
    needsSwitch({
      settings: ["truncated_importance_sampling_ratio", "truncated_importance_sampling_ratio_min"],
      isOff: ({ settings }) =>
        settings.use_importance_sampling_correction === false && settings[TYPE] === null,
      off: "use_importance_sampling_correction is false",
      source: `${LOSS}.__init__`,
      instead: `use_importance_sampling_correction: true and ${TYPE}: tis`,
    }),
  ],
};
