import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "areal",
  title: "AReaL",
  repository: "inclusionAI/AReaL",
  read: { version: "1.0.4", commit: "4aef98d8", date: "2026-06-10" },
  hook: {
    distribution: "areal",
    writtenFor: "4aef98d8d",
    place: "your entry script, before trainer.train(…)",
    language: "python",
    lines: ["import logratio.areal; logratio.areal.attach(trainer)"],
    needs: "actor.recompute_logprob=True",
  },
  textDumps: [
    { what: "AReaL's rollout file", keys: ["task_id", "seqlen", "prompt_len", "prompt", "completion"] },
  ],
};
