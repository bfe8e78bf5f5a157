import type { RolloutSampling } from "../shared/sampling.ts";

/** Training rollouts have no typed filter: top_p is 1, and others only get through `extra_body`. */
export const sampling: RolloutSampling = {
  keys: {
    temperature: ["train.sampling.temperature"],
    top_p: ["train.sampling.extra_body.top_p"],
    top_k: ["train.sampling.extra_body.top_k"],
    min_p: ["train.sampling.extra_body.min_p"],
  },
  logprobs: "processed",
  modeKey: "inference.vllm.logprobs_mode",
  source:
    "packages/prime-rl-configs/src/prime_rl/configs/orchestrator.py TrainSamplingConfig, inference.py (559b4477)",
};
