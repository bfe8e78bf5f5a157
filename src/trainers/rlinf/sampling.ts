import type { RolloutSampling } from "../shared/sampling.ts";

/** What vLLM's log-probs are of depends on its version's default: RLinf does not say. */
export const sampling: RolloutSampling = {
  keys: {
    temperature: ["algorithm.sampling_params.temperature"],
    top_p: ["algorithm.sampling_params.top_p"],
    top_k: ["algorithm.sampling_params.top_k"],
    repetition_penalty: ["algorithm.sampling_params.repetition_penalty"],
  },
  engineKey: "rollout.rollout_backend",
  source: "rlinf/workers/rollout/sglang/sglang_worker.py, vllm/vllm_worker.py (0.3.0)",
};
