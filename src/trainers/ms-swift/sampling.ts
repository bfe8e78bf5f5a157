import type { RolloutSampling } from "../shared/sampling.ts";

export const sampling: RolloutSampling = {
  keys: {
    temperature: ["temperature"],
    top_p: ["top_p"],
    top_k: ["top_k"],
    repetition_penalty: ["repetition_penalty"],
  },
  logprobs: "processed",
  source: "modelscope/ms-swift#8442",
};
