import type { RolloutSampling } from "../shared/sampling.ts";

export const sampling: RolloutSampling = {
  keys: {
    temperature: ["temperature"],
    top_p: ["top_p"],
    top_k: ["top_k"],
    min_p: ["min_p"],
    repetition_penalty: ["repetition_penalty"],
  },
  logprobs: "processed",
  source: "swift/rlhf_trainers/rollout_mixin.py logprobs_mode, swift/rlhf_trainers/args_mixin.py (4.6.0)",
};
