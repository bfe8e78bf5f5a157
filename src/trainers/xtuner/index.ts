import type { Trainer } from "../shared/index.ts";
import { xtunerDialect } from "./config-keys.ts";
import { logged } from "./logged.ts";
import { xtunerParity } from "./mismatch-metrics.ts";
import { xtuner } from "./preset.ts";

export const trainer: Trainer = {
  name: "xtuner",
  title: "xtuner",
  repository: "InternLM/xtuner",
  read: { commit: "b934f462", date: "2026-08-21" },
  presets: [xtuner],
  dialect: xtunerDialect,
  parity: xtunerParity,
  logged,
};

export { xtunerPackMetrics } from "./correction-metrics.ts";
export { mergeXtunerMetrics, xtunerMismatchMetrics } from "./mismatch-metrics.ts";
export { xtuner } from "./preset.ts";
export { readXtunerSettings } from "./settings.ts";
