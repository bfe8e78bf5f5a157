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
  source: "trl/generation/vllm_generation.py, trl/trainer/grpo_config.py GRPOConfig (1.16.0)",
};
