import { anyTrainer, type Cause } from "./cause.ts";

export const MASK: readonly Cause[] = [
  {
    id: "tool_tokens_unmasked",
    family: "mask",
    title: "Tool output counts as the policy's",
    description: "Tokens that tools or the environment wrote have mask 1.",
    fix: [
      anyTrainer(
        "response_mask[tool tokens] = 0",
        "Build the mask where turns are put together; what the engine did not sample has mask 0.",
      ),
    ],
  },
  {
    id: "eos_not_in_mask",
    family: "mask",
    title: "Stop token not in the mask",
    description: "The token that ends a response has mask 0, so stopping is never trained.",
    // Megatron-Bridge#4660.
    fix: [
      anyTrainer(
        "mask up to and including the first eos",
        "Where pad_token_id equals eos_token_id, do not derive the mask from ids != pad.",
      ),
    ],
  },
  {
    id: "mask_past_eos",
    family: "mask",
    title: "Mask goes on behind the stop token",
    description: "Padding behind the end of a response has mask 1.",
    fix: [
      anyTrainer(
        "mask only up to and including the first eos",
        "Use the response's length, not the width of the padded array.",
      ),
    ],
  },
  {
    id: "mask_shift",
    family: "mask",
    title: "Mask moved by one token",
    description: "The mask is one token off the ids and log-probs, which shows at the edges of turns.",
    fix: [
      anyTrainer(
        "shift the mask with the labels",
        "A mask over labels (next tokens) is one entry ahead of a mask over tokens.",
      ),
    ],
  },
  {
    id: "first_token_wrong",
    family: "mask",
    title: "First token's log-prob wrong",
    description: "The log-prob of the first response token is a dummy, or that of another position.",
    // vllm#15420, SkyRL#1461.
    fix: [
      anyTrainer(
        "score token 0 from the prompt's last logits",
        "Prefill scores have no entry for the first position; pad them on the left, not on the right.",
      ),
    ],
  },
  {
    id: "last_token_wrong",
    family: "mask",
    title: "Last token's log-prob wrong",
    description:
      "The log-prob of the last token, mostly the stop token, is filled in or that of another position.",
    // open-instruct#1041.
    fix: [
      anyTrainer(
        "include_stop_str_in_output = true",
        "Take the stop token and its log-prob from the engine instead of appending it.",
      ),
    ],
  },
];
