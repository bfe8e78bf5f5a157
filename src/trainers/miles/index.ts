import type { Trainer } from "../shared/index.ts";
import { milesDialect } from "./config-keys.ts";
import { logged } from "./logged.ts";
import { miles } from "./preset.ts";

export const trainer: Trainer = {
  name: "miles",
  title: "miles",
  repository: "radixark/miles",
  read: { commit: "31f1ca96", date: "2026-08-21" },
  presets: [miles],
  dialect: milesDialect,
  logged,
};
