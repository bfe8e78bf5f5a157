import type { TrainerMethods } from "../shared/trainer.ts";
import { axolotlDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = { trainer, dialect: axolotlDialect, sampling };
