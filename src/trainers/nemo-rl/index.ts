import type { Trainer } from "../shared/index.ts";
import { nemoRlDialect } from "./config-keys.ts";
import { logged } from "./logged.ts";
import { nemoRl } from "./preset.ts";

export const trainer: Trainer = {
  name: "nemo-rl",
  title: "NeMo-RL",
  repository: "NVIDIA-NeMo/RL",
  read: { commit: "7ea279ab", date: "2026-08-22" },
  presets: [nemoRl],
  dialect: nemoRlDialect,
  logged,
};
