import type { TrainerMethods } from "../shared/trainer.ts";
import { slimeDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { slimeMis } from "./mis-preset.ts";
import { slime } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = {
  trainer,
  presets: [slime, slimeMis],
  dialect: slimeDialect,
  logged,
  sampling,
};
