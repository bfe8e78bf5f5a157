import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "unsloth",
  title: "Unsloth",
  repository: "unslothai/unsloth",
  distribution: "unsloth-zoo",
  read: { version: "2026.10.9", date: "2026-10-26" },
};
