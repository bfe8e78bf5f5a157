import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "miles",
  title: "miles",
  repository: "radixark/miles",
  distribution: "miles-rl",
  read: { commit: "31f1ca96", date: "2026-08-21" },
  fixes: [
    {
      causes: ["stale_weights"],
      line: "--check-weight-update-equal",
      note: "Compares the engine's weights with the trainer's after each update.",
      keys: {
        "--check-weight-update-equal": "miles/utils/arguments.py (31f1ca96)",
      },
    },
    {
      causes: ["moe_routing_flips"],
      line: "--use-rollout-routing-replay",
      note: "The trainer reuses the engine's routes.",
      keys: {
        "--use-rollout-routing-replay": "docs/advanced/miles-router.md (31f1ca96)",
      },
    },
  ],
  hook: {
    distribution: "miles-rl",
    writtenFor: "31f1ca961",
    place: "command line",
    language: "shell",
    lines: ["--rollout-data-postprocess-path logratio.miles.record"],
  },
};
