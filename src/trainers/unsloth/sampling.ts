import type { RolloutSampling } from "../shared/sampling.ts";
import { sampling as ofTrl } from "../trl/sampling.ts";

/**
 * TRL's keys. With vLLM in the same process the trainer scores over the tokens that the filters kept, unless
 * UNSLOTH_GRPO_TRUNCATED_SUPPORT is 0, of which `config-keys.ts` warns.
 */
export const sampling: RolloutSampling = {
  keys: ofTrl.keys,
  logprobs: "processed",
  replayed: ["top_p", "top_k", "min_p"],
  source:
    "unsloth_zoo/vllm_utils.py logprobs_mode, unsloth_zoo/rl_replacements.py grpo_truncated_support_kwargs (2026.10.9)",
};
