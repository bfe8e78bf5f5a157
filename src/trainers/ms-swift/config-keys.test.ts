import { checkDialect } from "../configs/table.test-data.ts";

const MODE = "→ --rollout_importance_sampling_mode token_truncate";

checkDialect("ms-swift", {
  says: [
    // Without vLLM there is nothing to correct against.
    [
      "a.yaml",
      "use_vllm: false\nrollout_importance_sampling_mode: token_mask\n",
      ["error not-switched-on@1 → --use_vllm true", /^rollout_importance_sampling_mode has no effect/],
    ],
    ["a.yaml", "use_vllm: true\nrollout_importance_sampling_mode: token_mask\n", "no not-switched-on"],
    ["a.yaml", "rollout_importance_sampling_mode: token_mask\n", "no not-switched-on"],
    ["a.yaml", "use_vllm: false\nrollout_importance_sampling_mode: null\n", "no not-switched-on"],
    ["a.yaml", "use_vllm: false\nlog_rollout_offpolicy_metrics: true\n", "no not-switched-on"],
    // A threshold without a mode.
    [
      "a.yaml",
      "rlhf_type: grpo\nrollout_importance_sampling_threshold: 3.0\n",
      [`error not-switched-on@2 ${MODE}`, /mode is not given, so nothing is corrected$/],
    ],
    [
      "a.yaml",
      "rollout_importance_sampling_mode: token_mask\nrollout_importance_sampling_threshold: 3.0\n",
      "no not-switched-on",
    ],
    // Traps, where they are.
    [
      "a.yaml",
      "rlhf_type: grpo\nrollout_importance_sampling_mode: sequence_mask\n",
      ["warning raw-weights@2", /sequence_mask only decides by the geometric mean/],
      ["note trap", /chi2_seq is of the geometric mean/],
    ],
    [
      "a.yaml",
      "rlhf_type: grpo\nrollout_importance_sampling_mode: sequence_truncate\n",
      ["warning geometric@2", /not their product/],
      "no raw-weights",
    ],
    ["a.yaml", "rollout_importance_sampling_mode: token_truncate\n", "no geometric", "no raw-weights"],
    ["a.sh", "swift rlhf --rlhf_type grpo --log_rollout_offpolicy_metrics true", "note trap"],
    // Sampling.
    [
      "a.yaml",
      "rlhf_type: grpo\nrollout_importance_sampling_mode: token_mask\nmin_p: 0.1\n",
      "warning sampling-filter@3 → min_p: 0",
    ],
    // Slips.
    [
      "a.sh",
      "swift rlhf --rlhf_type grpo --rollout_importance_sampling_modes token_mask",
      ["error misspelt@1 → --rollout_importance_sampling_mode", /^ms-swift has no/],
    ],
  ],
  marks: [
    [["rollout_importance_sampling_x"], ["a.rollout_importance_sampling_x", "rollout_importance_sampling"]],
    [
      ["off_policy_sequence_mask_delta"],
      ["a.off_policy_sequence_mask_delta", "off_policy_sequence_mask_deltas"],
    ],
    [
      ["log_rollout_offpolicy_metrics"],
      ["a.log_rollout_offpolicy_metrics", "log_rollout_offpolicy_metrics2"],
    ],
    [["rlhf_type"], ["a.rlhf_type", "rlhf_types"]],
  ],
  texts: [
    "rlhf_type",
    ["swift rlhf", "ms-swift", "ms_swift", "megatron rlhf"],
    ["swift rlhfs", "aswift rlhf", "msswift", "mszswift", "swift"],
  ],
});
