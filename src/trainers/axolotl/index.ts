import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "axolotl",
  title: "Axolotl",
  repository: "axolotl-ai-cloud/axolotl",
  distribution: "axolotl",
  read: { version: "0.21.0", date: "2026-10-16" },
};
