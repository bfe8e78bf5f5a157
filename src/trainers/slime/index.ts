import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "slime",
  title: "slime",
  repository: "THUDM/slime",
  read: { commit: "624b824a", date: "2026-08-21" },
  fixes: [
    {
      causes: ["stale_weights", "layer_not_synced"],
      line: "--check-weight-update-equal",
      note: "Compares the engine's weights with the trainer's after each update.",
      keys: {
        "--check-weight-update-equal": "slime/utils/arguments.py (624b824a)",
      },
    },
    {
      causes: ["moe_routing_flips"],
      line: "--use-rollout-routing-replay",
      note: "The trainer reuses the engine's routes.",
      keys: {
        "--use-rollout-routing-replay": "slime/utils/arguments.py (624b824a)",
      },
    },
  ],
  hook: {
    distribution: "slime",
    writtenFor: "624b824a",
    place: "command line",
    language: "shell",
    lines: ["--rollout-data-postprocess-path logratio.slime.record --get-mismatch-metrics"],
  },
};
