import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "art",
  title: "ART",
  repository: "OpenPipe/ART",
  read: { commit: "779559f" },
};
