import { anyTrainer, type Cause, forTrainer } from "./cause.ts";

const SAME_IDS = anyTrainer(
  "compare the prompt's token ids of both sides",
  "Send token ids to the engine (prompt_token_ids) and use the same ids in the trainer.",
);

export const CONTEXT: readonly Cause[] = [
  {
    id: "bos_missing",
    family: "context",
    title: "Start token missing on one side",
    description: "One side's prompt lacks the start token that the other has.",
    fix: [
      SAME_IDS,
      anyTrainer(
        "add_special_tokens = True",
        "For raw text; chat templates write the start token themselves.",
      ),
    ],
  },
  {
    id: "bos_double",
    family: "context",
    title: "Start token twice on one side",
    description: "One side's prompt begins with the start token twice.",
    fix: [
      SAME_IDS,
      anyTrainer(
        "add_special_tokens = False",
        "When encoding what a chat template wrote, which has the start token already.",
      ),
    ],
  },
  {
    id: "prompt_left_cut",
    family: "context",
    title: "Prompt cut on the left on one side",
    description: "One side's prompt lost its first tokens.",
    fix: [
      SAME_IDS,
      forTrainer(
        "verl",
        "data.truncation=error",
        "Stops at prompts that are too long; or raise data.max_prompt_length.",
      ),
    ],
  },
  {
    id: "template_mismatch",
    family: "context",
    title: "Different prompts on the two sides",
    description:
      "One side's prompt has another template, system prompt, separator or tool list, so every token is judged in another context.",
    // miles docs/developer/debug.md: about 0.8 per token on an instruct model is almost always the template.
    fix: [
      SAME_IDS,
      forTrainer("vllm", "--chat-template FILE", "The template of the tokenizer that the trainer uses."),
      anyTrainer(
        "render history once",
        "Templates that strip thinking or rewrite tool calls change the earlier turns.",
      ),
    ],
  },
  {
    id: "pads_attended",
    family: "context",
    title: "Padding attended on one side",
    description: "One side ignores the attention mask: tokens see the padding left of shorter prompts.",
    fix: [
      anyTrainer(
        "pass attention_mask and position_ids",
        "Or remove the padding before the forward pass (use_remove_padding in verl).",
      ),
    ],
  },
  {
    id: "position_ids_wrong",
    family: "context",
    title: "Wrong position ids on one side",
    description: "Position ids restart, jump or ignore the padding on one side.",
    // trl#6800, prime-rl#606.
    fix: [
      anyTrainer(
        "position_ids = (attention_mask.cumsum(-1) - 1).clamp(min=0)",
        "Count on from the prompt to the response; restart only at packed sequences.",
      ),
    ],
  },
  {
    id: "rope_mismatch",
    family: "context",
    title: "Different rotary embeddings",
    description: "The two sides use another RoPE base or scaling.",
    // SkyRL#561, ROLL#276.
    fix: [
      anyTrainer(
        "same rope_theta and rope_scaling on both sides",
        "Compare config.json of the served checkpoint with the trainer's; overrides on the command line count too.",
      ),
    ],
  },
  {
    id: "context_window",
    family: "context",
    title: "Shorter attention window on one side",
    description: "One side sees only so many tokens back: a sliding window, or a short context.",
    // verl#3894, sglang#30050.
    fix: [
      anyTrainer(
        "same sliding_window and max_model_len on both sides",
        "Some attention kernels drop the window, some apply it to all layers.",
      ),
    ],
  },
  {
    id: "packing_leak",
    family: "context",
    title: "Packed sequences see each other",
    description:
      "The trainer packs sequences without a block mask, so later ones attend to those before them.",
    // NeMo#1835.
    fix: [
      anyTrainer(
        "attn_implementation = flash_attention_2 with cu_seqlens or restarting position_ids",
        "Packing needs attention that stops at sequence borders.",
      ),
    ],
  },
];
