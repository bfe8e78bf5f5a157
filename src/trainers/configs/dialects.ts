import { arealDialect } from "../areal/config-keys.ts";
import { msSwiftDialect } from "../ms-swift/config-keys.ts";
import { nemoRlDialect } from "../nemo-rl/config-keys.ts";
import { openInstructDialect } from "../open-instruct/config-keys.ts";
import { openrlhfDialect } from "../openrlhf/config-keys.ts";
import { primeRlDialect } from "../prime-rl/config-keys.ts";
import { rollDialect } from "../roll/config-keys.ts";
import type { Dialect } from "../shared/dialect.ts";
import { skyrlDialect } from "../skyrl/config-keys.ts";
import { milesDialect, slimeDialect } from "../slime/config-keys.ts";
import { trlDialect } from "../trl/config-keys.ts";
import { verlDialect } from "../verl/config-keys.ts";
import { xtunerDialect } from "../xtuner/config-keys.ts";

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
