import type { Trainer } from "../shared/index.ts";
import { rollDialect } from "./config-keys.ts";
import { logged } from "./logged.ts";
import { roll } from "./preset.ts";

export const trainer: Trainer = {
  name: "roll",
  title: "ROLL",
  repository: "alibaba/ROLL",
  read: { commit: "8eb27cc2", date: "2026-08-19" },
  presets: [roll],
  dialect: rollDialect,
  logged,
};
