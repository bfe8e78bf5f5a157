import { advise, anyTrainer, type CauseText } from "./cause.ts";

export const MASK: readonly CauseText[] = [
  {
    id: "tool_tokens_unmasked",
    family: "mask",
    title: "Tool output counted as the policy's tokens",
    description: "Tokens written by tools or the environment have mask 1.",
    fix: [
      anyTrainer(
        "response_mask[tool tokens] = 0",
        "Build the mask where turns are joined; tokens that the engine did not sample get mask 0.",
      ),
    ],
  },
  {
    id: "eos_not_in_mask",
    family: "mask",
    title: "Stop token not in the mask",
    description: "The token that ends a response has mask 0, so the policy is not trained to stop.",
    // Megatron-Bridge#4660.
    fix: [
      advise(
        "mask up to and including the first eos",
        "If pad_token_id equals eos_token_id, do not derive the mask from ids != pad.",
      ),
    ],
  },
  {
    id: "mask_past_eos",
    family: "mask",
    title: "Mask continues after the stop token",
    description: "Padding after the end of a response has mask 1.",
    fix: [
      advise(
        "mask only up to and including the first eos",
        "Use the response's length, not the width of the padded array.",
      ),
    ],
  },
  {
    id: "mask_shift",
    family: "mask",
    title: "Mask shifted by one token",
    description: "The mask is one token off from the ids and log-probs, which shows at the edges of turns.",
    fix: [
      advise(
        "shift the mask with the labels",
        "A mask over labels (next tokens) is one entry ahead of a mask over tokens.",
      ),
    ],
  },
  {
    id: "first_token_wrong",
    family: "mask",
    title: "First token's log-prob wrong",
    description: "The log-prob of the first response token is a placeholder or belongs to another position.",
    // vllm#15420, SkyRL#1461.
    fix: [
      advise(
        "score token 0 from the prompt's last logits",
        "Prefill scores lack the first position: pad them on the left, not on the right.",
      ),
    ],
  },
  {
    id: "last_token_wrong",
    family: "mask",
    title: "Last token's log-prob wrong",
    description:
      "The log-prob of the last token, usually the stop token, is a placeholder or belongs to another position.",
    // open-instruct#1041.
    fix: [
      anyTrainer(
        "include_stop_str_in_output = true",
        "Take the stop token and its log-prob from the engine instead of appending it.",
      ),
    ],
  },
];
