import type { TrainerMethods } from "../shared/trainer.ts";
import { unslothDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { unsloth } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = { trainer, presets: [unsloth], dialect: unslothDialect, sampling };
