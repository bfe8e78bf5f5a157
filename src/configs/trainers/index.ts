import { arealDialect } from "./areal.ts";
import type { Dialect } from "./dialect.ts";
import { msSwiftDialect } from "./ms-swift.ts";
import { nemoRlDialect } from "./nemo-rl.ts";
import { openInstructDialect } from "./open-instruct.ts";
import { openrlhfDialect } from "./openrlhf.ts";
import { primeRlDialect } from "./prime-rl.ts";
import { rollDialect } from "./roll.ts";
import { skyrlDialect } from "./skyrl.ts";
import { milesDialect, slimeDialect } from "./slime.ts";
import { trlDialect } from "./trl.ts";
import { verlDialect } from "./verl.ts";
import { xtunerDialect } from "./xtuner.ts";

/** The order decides between trainers that a config fits equally well. */
export const DIALECTS: readonly Dialect[] = [
  verlDialect,
  xtunerDialect,
  trlDialect,
  slimeDialect,
  milesDialect,
  openrlhfDialect,
  nemoRlDialect,
  skyrlDialect,
  arealDialect,
  primeRlDialect,
  rollDialect,
  openInstructDialect,
  msSwiftDialect,
];
