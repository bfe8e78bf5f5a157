import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "axolotl",
  title: "Axolotl",
  repository: "axolotl-ai-cloud/axolotl",
  distribution: "axolotl",
  read: { version: "0.19.0", date: "2026-09-10" },
};
