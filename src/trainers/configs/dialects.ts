import { arealDialect } from "../areal/index.ts";
import { msSwiftDialect } from "../ms-swift/index.ts";
import { nemoRlDialect } from "../nemo-rl/index.ts";
import { openInstructDialect } from "../open-instruct/index.ts";
import { openrlhfDialect } from "../openrlhf/index.ts";
import { primeRlDialect } from "../prime-rl/index.ts";
import { rollDialect } from "../roll/index.ts";
import type { Dialect } from "../shared/index.ts";
import { skyrlDialect } from "../skyrl/index.ts";
import { milesDialect, slimeDialect } from "../slime/index.ts";
import { trlDialect } from "../trl/index.ts";
import { verlDialect } from "../verl/index.ts";
import { xtunerDialect } from "../xtuner/index.ts";

/** When a config fits several trainers equally well, the first one wins. */
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
