import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "rllm",
  title: "rLLM",
  repository: "rllm-org/rllm",
  read: { commit: "9beb6e0f" },
};
