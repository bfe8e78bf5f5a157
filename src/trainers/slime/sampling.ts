import type { RolloutSampling } from "../shared/sampling.ts";

/** SGLang alone, whose arguments have the prefix `--sglang-`; the loss takes top-p's kept tokens from the rollout. */
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
  replayed: ["top_p"],
  source: "slime/utils/arguments.py, slime/backends/megatron_utils/loss.py rollout_top_p_token_ids",
};
