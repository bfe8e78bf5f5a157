import type { TrainerMethods } from "../shared/trainer.ts";
import { rllmDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";

export const methods: TrainerMethods = { trainer, dialect: rllmDialect, logged };
