import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "xtuner",
  title: "xtuner",
  repository: "InternLM/xtuner",
  read: { commit: "b934f462", date: "2026-08-21" },
  fixes: [
    {
      causes: ["weight_quantization"],
      line: "XTUNER_RL_FP8_QUANTIZE_IN_BF16=1",
      note: "Quantizes the exported values, not the float32 master weights; in versions with xtuner#2044.",
      keys: {
        XTUNER_RL_FP8_QUANTIZE_IN_BF16:
          "an environment variable of InternLM/xtuner#2044, later than b934f462",
      },
    },
    {
      causes: ["moe_routing_flips"],
      line: "enable_return_routed_experts=True",
      note: "Set it in RolloutConfig; the trainer then reuses the engine's routes.",
      keys: {
        enable_return_routed_experts: "xtuner/v1/rl/rollout/worker.py RolloutConfig (b934f462)",
      },
    },
  ],
  hook: {
    distribution: "xtuner",
    writtenFor: "b934f462",
    place: "xtuner/v1/rl/trainer/worker.py (fit), behind the loop that sets old_logprobs",
    language: "python",
    lines: ["import logratio.xtuner; logratio.xtuner.record(self, seq_ctx_list, loss_ctx_list, rollout_idx)"],
  },
  textDumps: [
    { what: "xtuner's train_rollout file", keys: ["rollout_id", "prompt", "response"] },
    { what: "xtuner's rollout file", keys: ["prompt", "response", "label", "reward"] },
  ],
};
