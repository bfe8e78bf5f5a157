import type { TrainerMethods } from "../shared/trainer.ts";
import { trlDialect, trlEarlierDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { trl } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = {
  trainer,
  presets: [trl],
  dialect: trlDialect,
  earlier: [trlEarlierDialect],
  logged,
  sampling,
};
