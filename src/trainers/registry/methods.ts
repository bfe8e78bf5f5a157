/**
 * What the trainers compute. Presets are listed in this order; if a config or a logged key fits several trainers equally
 * well, the earlier one wins. Apart from the registry, because these are a hundred modules and a report needs none.
 *
 * @module
 */
import { methods as areal } from "../areal/methods.ts";
import { methods as axolotl } from "../axolotl/methods.ts";
import { methods as miles } from "../miles/methods.ts";
import { methods as msSwift } from "../ms-swift/methods.ts";
import { methods as nemoRl } from "../nemo-rl/methods.ts";
import { methods as openInstruct } from "../open-instruct/methods.ts";
import { methods as openrlhf } from "../openrlhf/methods.ts";
import { methods as primeRl } from "../prime-rl/methods.ts";
import { methods as rlinf } from "../rlinf/methods.ts";
import { methods as rllm } from "../rllm/methods.ts";
import { methods as roll } from "../roll/methods.ts";
import type { TrainerMethods } from "../shared/trainer.ts";
import { methods as skyrl } from "../skyrl/methods.ts";
import { methods as slime } from "../slime/methods.ts";
import { methods as tinker } from "../tinker/methods.ts";
import { methods as trl } from "../trl/methods.ts";
import { methods as tunix } from "../tunix/methods.ts";
import { methods as unsloth } from "../unsloth/methods.ts";
import { methods as verl } from "../verl/methods.ts";
import { methods as xtuner } from "../xtuner/methods.ts";

export const METHODS: readonly TrainerMethods[] = [
  verl,
  xtuner,
  trl,
  slime,
  miles,
  openrlhf,
  nemoRl,
  skyrl,
  areal,
  primeRl,
  roll,
  openInstruct,
  msSwift,
  tinker,
  rllm,
  unsloth,
  axolotl,
  rlinf,
  tunix,
];
