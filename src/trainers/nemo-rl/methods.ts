import type { TrainerMethods } from "../shared/trainer.ts";
import { nemoRlDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { nemoRl } from "./preset.ts";

export const methods: TrainerMethods = { trainer, presets: [nemoRl], dialect: nemoRlDialect, logged };
