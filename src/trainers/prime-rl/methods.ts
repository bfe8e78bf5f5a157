import type { TrainerMethods } from "../shared/trainer.ts";
import { primeRlAugustDialect, primeRlDialect, primeRlEarlierDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { primeRl, primeRlIcepop, primeRlIpo, primeRlKpop } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = {
  trainer,
  presets: [primeRl, primeRlIpo, primeRlIcepop, primeRlKpop],
  dialect: primeRlDialect,
  earlier: [primeRlAugustDialect, primeRlEarlierDialect],
  logged,
  sampling,
};
