import type { TrainerMethods } from "../shared/trainer.ts";
import { rlinfDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { rlinf } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = { trainer, presets: [rlinf], dialect: rlinfDialect, sampling };
