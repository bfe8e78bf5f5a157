import type { RolloutSampling } from "../shared/sampling.ts";

export const sampling: RolloutSampling = {
  keys: { temperature: ["temperature"], top_p: ["vllm_top_p"] },
  logprobs: "processed",
  source: "allenai/open-instruct#1678",
};
