import type { TrainerMethods } from "../shared/trainer.ts";
import { openrlhfDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { openrlhf } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = {
  trainer,
  presets: [openrlhf],
  dialect: openrlhfDialect,
  logged,
  sampling,
};
