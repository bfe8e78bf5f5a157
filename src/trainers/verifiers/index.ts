import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "verifiers",
  title: "verifiers",
  repository: "PrimeIntellect-ai/verifiers",
  read: { commit: "a60a606e" },
};
