import type { RolloutSampling } from "../shared/sampling.ts";

/** The mode is that of runs with a correction. */
export const sampling: RolloutSampling = {
  keys: { temperature: ["rollout.temperature"], top_p: ["rollout.top_p"] },
  logprobs: "processed",
  source: "openrlhf/cli/train_ppo_ray.py (0.11.2)",
};
