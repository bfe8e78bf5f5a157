import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "nemo-rl",
  title: "NeMo-RL",
  repository: "NVIDIA-NeMo/RL",
  read: { commit: "7ea279ab", date: "2026-08-22" },
  fixes: [
    {
      causes: ["stale_prefix_cache"],
      line: "grpo.async_grpo.recompute_kv_cache_after_weight_updates=true",
      note: "Drops cache entries computed by older weights (NeMo#4018).",
      keys: {
        "grpo.async_grpo.recompute_kv_cache_after_weight_updates":
          "examples/configs/grpo_math_1B.yaml, docs/guides/async-grpo.md (7ea279ab)",
      },
    },
    {
      causes: ["moe_routing_flips"],
      line: "policy.router_replay.enabled=true",
      note: "The trainer reuses the engine's routes.",
      keys: {
        "policy.router_replay.enabled":
          "docs/guides/router-replay.md, nemo_rl/models/megatron/router_replay.py (7ea279ab)",
      },
    },
  ],
  hook: {
    distribution: "nemo-rl",
    writtenFor: "7ea279abf",
    place: "nothing to add: it writes both itself, and logratio follows the files",
    language: "none",
    lines: ["logratio view LOG_DIR --follow"],
  },
  textDumps: [{ what: "a NeMo-RL distillation log", keys: ["content", "input_lengths", "idx"] }],
};
