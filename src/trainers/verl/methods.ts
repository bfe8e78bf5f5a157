import type { TrainerMethods } from "../shared/trainer.ts";
import { verlDialect } from "./config-keys.ts";
import { verlDppo } from "./dppo.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { verlParity } from "./mismatch-metrics.ts";
import { verl } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = {
  trainer,
  presets: [verl, verlDppo],
  dialect: verlDialect,
  parity: verlParity,
  logged,
  sampling,
};
