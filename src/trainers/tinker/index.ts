import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "tinker",
  title: "tinker-cookbook",
  repository: "thinking-machines-lab/tinker-cookbook",
  distribution: "tinker-cookbook",
  read: { version: "0.6.1", date: "2026-11-06" },
};
