import type { TrainerMethods } from "../shared/trainer.ts";
import { milesDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { miles } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = { trainer, presets: [miles], dialect: milesDialect, logged, sampling };
