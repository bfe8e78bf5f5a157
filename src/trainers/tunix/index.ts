import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "tunix",
  title: "Tunix",
  repository: "google/tunix",
  distribution: "google-tunix",
  read: { version: "0.1.7", date: "2026-06-11" },
};
