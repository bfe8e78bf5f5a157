import type { TrainerMethods } from "../shared/trainer.ts";
import { skyrlDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { skyrl } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = { trainer, presets: [skyrl], dialect: skyrlDialect, logged, sampling };
