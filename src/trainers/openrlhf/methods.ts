import type { TrainerMethods } from "../shared/trainer.ts";
import { openrlhfDialect } from "./config-keys.ts";
import { dottedDialect, flatDialect } from "./earlier/config-keys.ts";
import { openrlhfEarlier } from "./earlier/preset.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { openrlhf } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = {
  trainer,
  presets: [openrlhf, openrlhfEarlier],
  dialect: openrlhfDialect,
  earlier: [dottedDialect, flatDialect],
  logged,
  sampling,
};
