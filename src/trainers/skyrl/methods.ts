import type { TrainerMethods } from "../shared/trainer.ts";
import { skyrlDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { skyrl } from "./preset.ts";

export const methods: TrainerMethods = { trainer, presets: [skyrl], dialect: skyrlDialect, logged };
