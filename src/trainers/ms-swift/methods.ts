import type { TrainerMethods } from "../shared/trainer.ts";
import { msSwiftDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { msSwift } from "./preset.ts";

export const methods: TrainerMethods = { trainer, presets: [msSwift], dialect: msSwiftDialect, logged };
