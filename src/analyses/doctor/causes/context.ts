import { advise, anyTrainer, type CauseText, FROM_TRAINERS, forEngine } from "./cause.ts";

const SAME_IDS = advise(
  "compare the prompt's token ids on both sides",
  "Send token ids to the engine (prompt_token_ids) and use the same ids in the trainer.",
);

export const CONTEXT: readonly CauseText[] = [
  {
    id: "bos_missing",
    family: "context",
    title: "Start token missing on one side",
    description: "One side's prompt lacks the start token that the other has.",
    fix: [
      SAME_IDS,
      anyTrainer(
        "add_special_tokens = True",
        "For raw text only: chat templates add the start token themselves.",
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
        "When encoding the output of a chat template, which already has the start token.",
      ),
    ],
  },
  {
    id: "prompt_left_cut",
    family: "context",
    title: "Prompt truncated on the left on one side",
    description: "One side's prompt lacks its first tokens.",
    fix: [SAME_IDS, FROM_TRAINERS],
  },
  {
    id: "template_mismatch",
    family: "context",
    title: "Different chat templates on the two sides",
    description:
      "The two prompts differ in template, system prompt, separator or tool list, so every token is scored in a different context.",
    // miles docs/developer/debug.md: about 0.8 per token on an instruct model is almost always the template.
    fix: [
      SAME_IDS,
      forEngine("vllm", "--chat-template FILE", "The template of the trainer's tokenizer."),
      advise(
        "render history once",
        "Templates that strip thinking or rewrite tool calls change the earlier turns.",
      ),
    ],
  },
  {
    id: "pads_attended",
    family: "context",
    title: "Padding not masked in attention on one side",
    description:
      "One side ignores the attention mask, so tokens attend to the padding to the left of shorter prompts.",
    fix: [
      advise(
        "pass attention_mask and position_ids",
        "Or remove the padding before the forward pass (use_remove_padding in verl).",
      ),
    ],
  },
  {
    id: "position_ids_wrong",
    family: "context",
    title: "Wrong position ids on one side",
    description: "On one side, position ids restart, jump or count the padding.",
    // trl#6800, prime-rl#606.
    fix: [
      anyTrainer(
        "position_ids = (attention_mask.cumsum(-1) - 1).clamp(min=0)",
        "Continue counting from the prompt into the response; restart only where a packed sequence begins.",
      ),
    ],
  },
  {
    id: "rope_mismatch",
    family: "context",
    title: "Different rotary embeddings",
    description: "The two sides use a different RoPE base or scaling.",
    // SkyRL#561, ROLL#276.
    fix: [
      advise(
        "same rope_theta and rope_scaling on both sides",
        "Compare config.json of the served checkpoint with the trainer's, including overrides on the command line.",
      ),
    ],
  },
  {
    id: "context_window",
    family: "context",
    title: "Shorter attention window on one side",
    description:
      "One side attends to a limited number of earlier tokens: a sliding window, or a short context.",
    // verl#3894, sglang#30050.
    fix: [
      advise(
        "same sliding_window and max_model_len on both sides",
        "Some attention kernels ignore the window; others apply it to all layers.",
      ),
    ],
  },
  {
    id: "packing_leak",
    family: "context",
    title: "Packed sequences see each other",
    description:
      "The trainer packs sequences without a block mask, so each sequence attends to those packed before it.",
    // NeMo#1835.
    fix: [
      anyTrainer(
        "attn_implementation = flash_attention_2",
        "With packing, attention must stop at sequence boundaries: pass cu_seqlens, or position_ids that restart.",
      ),
    ],
  },
];
