/**
 * Every trainer that logratio knows. To add one, add its folder and a line here, a line in `methods.ts` if it has presets,
 * a dialect or logged keys, and a line in `files/index.ts` if its files are read.
 *
 * @module
 */
import { trainer as areal } from "../areal/index.ts";
import { trainer as art } from "../art/index.ts";
import { trainer as axolotl } from "../axolotl/index.ts";
import { trainer as maxtext } from "../maxtext/index.ts";
import { trainer as miles } from "../miles/index.ts";
import { trainer as msSwift } from "../ms-swift/index.ts";
import { trainer as nemoGym } from "../nemo-gym/index.ts";
import { trainer as nemoRl } from "../nemo-rl/index.ts";
import { trainer as openInstruct } from "../open-instruct/index.ts";
import { trainer as openrlhf } from "../openrlhf/index.ts";
import { trainer as primeRl } from "../prime-rl/index.ts";
import { trainer as rlinf } from "../rlinf/index.ts";
import { trainer as rllm } from "../rllm/index.ts";
import { trainer as roll } from "../roll/index.ts";
import type { Trainer } from "../shared/trainer.ts";
import { trainer as skyrl } from "../skyrl/index.ts";
import { trainer as slime } from "../slime/index.ts";
import { trainer as tinker } from "../tinker/index.ts";
import { trainer as trl } from "../trl/index.ts";
import { trainer as tunix } from "../tunix/index.ts";
import { trainer as unsloth } from "../unsloth/index.ts";
import { trainer as verifiers } from "../verifiers/index.ts";
import { trainer as verl } from "../verl/index.ts";
import { trainer as xtuner } from "../xtuner/index.ts";

export const TRAINERS: readonly Trainer[] = [
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
  verifiers,
  nemoGym,
  rllm,
  unsloth,
  axolotl,
  rlinf,
  tunix,
  art,
  maxtext,
];
