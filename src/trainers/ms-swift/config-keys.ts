/**
 * ms-swift's config keys: how to recognize its configs, and mistakes that only a config can have.
 *
 * @module
 */
import { type Dialect, isFalse, type LintRule, needsSwitch } from "../shared/dialect.ts";

const TRAINER = "swift/rlhf_trainers/grpo_trainer.py";

const withoutVllm: LintRule = ({ get, found, at }) => {
  const entry = get("use_vllm");
  const mode = found.get("rollout_importance_sampling_mode");
  if (!mode || mode.value === null || !isFalse(entry)) return [];
  return [
    {
      severity: "error",
      code: "not-switched-on",
      ...at(entry),
      message: `${mode.key} has no effect: without use_vllm there are no rollout log-probs`,
      source: TRAINER,
      instead: "--use_vllm true",
    },
  ];
};

export const msSwiftDialect: Dialect = {
  preset: () => "ms-swift",
  sections: [""],
  callees: [],
  example: "--rollout_importance_sampling_*",
  marks: [
    /^rollout_importance_sampling_/,
    /^off_policy_sequence_mask_delta$/,
    /^log_rollout_offpolicy_metrics$/,
    /^rlhf_type$/,
  ],
  textMarks: [/\bswift rlhf\b/, /ms[-_]swift/, /megatron rlhf/],
  knownKeys: ["importance_sampling_level", "async_generate"],
  defaults: () => ({ rollout_importance_sampling_mode: null }),
  effective: ({ get }, correction) => (isFalse(get("use_vllm")) ? { steps: [] } : correction),
  unknownKeys: { effect: "refused", source: "swift/arguments: remaining arguments are refused" },
  rules: [
    withoutVllm,
    needsSwitch({
      settings: ["rollout_importance_sampling_threshold"],
      isOff: ({ settings }) => settings.rollout_importance_sampling_mode === null,
      off: "rollout_importance_sampling_mode is not given, so nothing is corrected",
      source: `${TRAINER} _apply_rollout_importance_sampling`,
      instead: "--rollout_importance_sampling_mode token_truncate",
    }),
  ],
};
