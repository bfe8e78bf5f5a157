import type { TrainerMethods } from "../shared/trainer.ts";
import { axolotlDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";

export const methods: TrainerMethods = { trainer, dialect: axolotlDialect };
