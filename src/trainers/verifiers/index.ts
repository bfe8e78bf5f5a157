import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "verifiers",
  title: "verifiers",
  repository: "PrimeIntellect-ai/verifiers",
  distribution: "verifiers",
  read: { version: "0.4.0", date: "2026-10-12" },
};
