import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "roll",
  title: "ROLL",
  repository: "alibaba/ROLL",
  read: { commit: "8eb27cc2", date: "2026-08-19" },
  fixes: [
    {
      causes: ["moe_routing_flips"],
      line: "router_replay.mode: R3",
      note: "Set it on both actor_train and actor_infer; on one alone it has no effect.",
      keys: {
        "router_replay.mode": "docs_roll/docs/User Guides/Advanced Features/router_replay.md (8eb27cc2)",
      },
    },
  ],
  hook: {
    distribution: "roll",
    writtenFor: "8eb27cc2",
    place: 'rlvr_pipeline.py or agentic_pipeline.py, after batch.batch["old_log_probs"] = …',
    language: "python",
    lines: ["import logratio.roll; logratio.roll.record(batch, global_step)"],
    needs: "enable_old_logprobs_recompute: true",
  },
};
