import type { TrainerMethods } from "../shared/trainer.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";

export const methods: TrainerMethods = { trainer, logged };
