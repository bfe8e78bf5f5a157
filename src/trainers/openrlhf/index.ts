import type { Trainer } from "../shared/index.ts";
import { openrlhfDialect } from "./config-keys.ts";
import { logged } from "./logged.ts";
import { openrlhf } from "./preset.ts";

export const trainer: Trainer = {
  name: "openrlhf",
  title: "OpenRLHF",
  repository: "OpenRLHF/OpenRLHF",
  read: { commit: "3c3be623", date: "2026-08-13" },
  presets: [openrlhf],
  dialect: openrlhfDialect,
  logged,
};
