import type { Trainer } from "../shared/index.ts";
import { slimeDialect } from "./config-keys.ts";
import { logged } from "./logged.ts";
import { slimeMis } from "./mis-preset.ts";
import { slime } from "./preset.ts";

export const trainer: Trainer = {
  name: "slime",
  title: "slime",
  repository: "THUDM/slime",
  read: { commit: "624b824a", date: "2026-08-21" },
  presets: [slime, slimeMis],
  dialect: slimeDialect,
  logged,
};

export { slimeDialectFor } from "./config-keys.ts";
export { slimePreset } from "./core-preset.ts";
export { slimeMetrics } from "./correction-metrics.ts";
