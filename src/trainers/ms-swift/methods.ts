import type { TrainerMethods } from "../shared/trainer.ts";
import { msSwiftDialect } from "./config-keys.ts";
import { trainer } from "./index.ts";
import { logged } from "./logged.ts";
import { msSwift } from "./preset.ts";
import { sampling } from "./sampling.ts";

export const methods: TrainerMethods = {
  trainer,
  presets: [msSwift],
  dialect: msSwiftDialect,
  logged,
  sampling,
};
