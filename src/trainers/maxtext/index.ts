import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "maxtext",
  title: "MaxText",
  repository: "AI-Hypercomputer/maxtext",
  read: { commit: "93db9d62" },
};
