import type { RolloutSampling } from "../shared/sampling.ts";

export const sampling: RolloutSampling = {
  keys: {
    temperature: ["rollout.temperature"],
    top_p: ["rollout.top_p"],
    top_k: ["rollout.top_k"],
    repetition_penalty: ["rollout.repetition_penalty"],
  },
  logprobs: "processed",
  modeKey: "rollout.logprobs_mode",
  engineKey: "rollout.name",
  source: "verl/trainer/config/rollout/rollout.yaml, verl/workers/config/rollout.py RolloutConfig (0.9.1)",
};
