import type { TrainerMethods } from "../shared/trainer.ts";
import { tunixDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = { trainer, dialect: tunixDialect, sampling };
