import type { RolloutSampling } from "../shared/sampling.ts";

/**
 * The processed log-probs are those of TRL's engine in the same process, and of its server since it is asked for them;
 * Axolotl sets no mode of its own.
 */
export const sampling: RolloutSampling = {
  keys: {
    temperature: ["trl.temperature"],
    top_p: ["trl.top_p"],
    top_k: ["trl.top_k"],
    min_p: ["trl.min_p"],
    repetition_penalty: ["trl.repetition_penalty"],
  },
  logprobs: "processed",
  source: "axolotl/utils/schemas/trl.py TRLConfig (0.21.0), trl/generation/vllm_generation.py (1.16.0)",
};
