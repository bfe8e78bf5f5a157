import type { TrainerMethods } from "../shared/trainer.ts";
import { arealDialect, arealEarlierDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { areal } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = {
  trainer,
  presets: [areal],
  dialect: arealDialect,
  earlier: [arealEarlierDialect],
  logged,
  sampling,
};
