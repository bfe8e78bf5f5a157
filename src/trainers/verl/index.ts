import type { Trainer } from "../shared/index.ts";
import { verlDialect } from "./config-keys.ts";
import { logged } from "./logged.ts";
import { verlParity } from "./mismatch-metrics.ts";
import { verl } from "./preset.ts";

export const trainer: Trainer = {
  name: "verl",
  title: "verl",
  repository: "verl-project/verl",
  read: { commit: "1dda039b", date: "2026-08-22" },
  presets: [verl],
  dialect: verlDialect,
  parity: verlParity,
  logged,
};

export { verlDebugMetrics, verlOffpolicyMetrics, verlPerRoundMetrics } from "./mismatch-metrics.ts";
export { verl } from "./preset.ts";
