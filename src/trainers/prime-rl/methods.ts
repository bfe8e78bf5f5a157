import type { TrainerMethods } from "../shared/trainer.ts";
import { primeRlDialect, primeRlEarlierDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { primeRl, primeRlIpo, primeRlKpop } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = {
  trainer,
  presets: [primeRl, primeRlIpo, primeRlKpop],
  dialect: primeRlDialect,
  earlier: [primeRlEarlierDialect],
  logged,
  sampling,
};
