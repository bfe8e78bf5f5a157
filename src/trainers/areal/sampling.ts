import type { RolloutSampling } from "../shared/sampling.ts";

/** What the log-probs are of depends on the engine that allocation_mode names. */
export const sampling: RolloutSampling = {
  keys: {
    temperature: ["gconfig.temperature"],
    top_p: ["gconfig.top_p"],
    top_k: ["gconfig.top_k"],
    frequency_penalty: ["gconfig.frequency_penalty"],
  },
  source: "areal/api/cli_args.py GenerationHyperparameters (1.0.4)",
};
