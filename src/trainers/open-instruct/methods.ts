import type { TrainerMethods } from "../shared/trainer.ts";
import { openInstructDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { openInstruct } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = {
  trainer,
  presets: [openInstruct],
  dialect: openInstructDialect,
  logged,
  sampling,
};
