import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "rlinf",
  title: "RLinf",
  repository: "RLinf/RLinf",
  distribution: "rlinf",
  read: { version: "0.3.0", date: "2026-07-15" },
};
