import type { Trainer } from "../shared/index.ts";

export const trainer: Trainer = {
  name: "maxtext",
  title: "MaxText",
  repository: "AI-Hypercomputer/maxtext",
  read: { commit: "93db9d62" },
};
