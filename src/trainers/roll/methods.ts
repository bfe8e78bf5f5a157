import type { TrainerMethods } from "../shared/trainer.ts";
import { rollDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { roll } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = { trainer, presets: [roll], dialect: rollDialect, logged, sampling };
