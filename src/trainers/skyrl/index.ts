import type { Trainer } from "../shared/index.ts";
import { skyrlDialect } from "./config-keys.ts";
import { logged } from "./logged.ts";
import { skyrl } from "./preset.ts";

export const trainer: Trainer = {
  name: "skyrl",
  title: "SkyRL",
  repository: "NovaSky-AI/SkyRL",
  read: { commit: "a9564572", date: "2026-08-21" },
  presets: [skyrl],
  dialect: skyrlDialect,
  logged,
};
