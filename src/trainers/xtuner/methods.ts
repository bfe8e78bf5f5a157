import type { TrainerMethods } from "../shared/trainer.ts";
import { xtunerDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { xtunerParity } from "./mismatch-metrics.ts";
import { xtuner } from "./preset.ts";

export const methods: TrainerMethods = {
  trainer,
  presets: [xtuner],
  dialect: xtunerDialect,
  parity: xtunerParity,
  logged,
};
