import type { RolloutSampling } from "../shared/sampling.ts";

/** SGLang alone; unlike in slime, the loss does not know which tokens top-p kept. */
export const sampling: RolloutSampling = {
  keys: {
    temperature: ["rollout_temperature"],
    top_p: ["rollout_top_p"],
    top_k: ["rollout_top_k"],
    accept_threshold: [
      "sglang_speculative_accept_threshold_single",
      "sglang_speculative_accept_threshold_acc",
    ],
  },
  logprobs: "scaled",
  source: "miles/utils/arguments.py, miles/backends/training_utils/loss_hub (31f1ca96)",
};
