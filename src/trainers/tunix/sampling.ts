import type { RolloutSampling } from "../shared/sampling.ts";

/** What the log-probs are of depends on the engine; vLLM gives those after the filters unless it is told otherwise. */
export const sampling: RolloutSampling = {
  keys: {
    temperature: ["rollout_config.temperature"],
    top_p: ["rollout_config.top_p"],
    top_k: ["rollout_config.top_k"],
  },
  modeKey: "rollout_config.rollout_vllm_logprobs_mode",
  source: "tunix/rl/rollout/base_rollout.py RolloutConfig, tunix/rl/agentic/agentic_grpo_learner.py (0.1.7)",
};
