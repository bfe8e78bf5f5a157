import { ABS, ABS_MAX, type LoggedKeys } from "../shared/logged-keys.ts";

/** open_instruct/grpo_utils.py */
export const logged: LoggedKeys = {
  mismatch: [
    {
      key: /debug\/vllm_vs_local_logprob_diff_mean$/,
      ...ABS,
      quirk: "of the last pack of a step",
      isBent: true,
    },
    {
      key: /debug\/vllm_vs_local_logprob_diff_max$/,
      ...ABS_MAX,
      quirk: "of the last pack of a step",
      isBent: true,
    },
    {
      key: /debug\/vllm_local_reverse_kl$/,
      meaning: "mean of p rollout × (rollout − trainer)",
      unit: "nats",
      worse: "away",
    },
  ],
  run: {
    evaluation: ["eval/scores"],
    reward: ["scores"],
  },
};
