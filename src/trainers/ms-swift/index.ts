import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "ms-swift",
  title: "ms-swift",
  repository: "modelscope/ms-swift",
  read: { version: "4.6.0", commit: "3602360a", date: "2026-10-13" },
  fixes: [
    {
      causes: ["moe_routing_flips"],
      line: "--router_replay_mode R3",
      note: "The trainer reuses the engine's routes (Megatron).",
      keys: {
        "--router_replay_mode":
          "docs/source_en/Megatron-SWIFT/Command-line-parameters.md, swift/megatron/arguments/megatron_args.py (3602360a)",
      },
    },
  ],
  hook: {
    distribution: "ms-swift",
    writtenFor: "3602360a5",
    place: "command line of swift rlhf --rlhf_type grpo",
    language: "shell",
    lines: ["--log_rollout_offpolicy_metrics true", "--external_plugins {plugin} --callbacks logratio"],
    needs: "--use_vllm true",
    plugin: "logratio_swift_plugin.py",
  },
  textDumps: [
    {
      what: "ms-swift's completions file",
      keys: ["prompt", "completion"],
      anyOf: ["gen_step", "global_step", "messages", "advantages", "rewards"],
    },
  ],
};
