import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "tinker",
  title: "tinker-cookbook",
  repository: "thinking-machines-lab/tinker-cookbook",
  read: { commit: "9dfcc3a2", date: "2026-08-19" },
};
