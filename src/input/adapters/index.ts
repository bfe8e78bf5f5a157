/**
 * The adapters; on equal scores the earlier one wins. To add a trainer, add a folder and a line here.
 *
 * @module
 */
import type { Adapter } from "./adapter.ts";
import { areal } from "./areal/index.ts";
import { art } from "./art/index.ts";
import { generic } from "./generic/index.ts";
import { maxtext } from "./maxtext/index.ts";
import { nemoGym } from "./nemo-gym/index.ts";
import { nemoRl } from "./nemo-rl/index.ts";
import { ntl } from "./ntl/index.ts";
import { oneSided } from "./one-sided/index.ts";
import { openInstruct } from "./open-instruct/index.ts";
import { primeRl } from "./prime-rl/index.ts";
import { checkPackedRecord, record } from "./record/index.ts";
import { rllm } from "./rllm/index.ts";
import { roll } from "./roll/index.ts";
import { servers } from "./servers/index.ts";
import { skyrl } from "./skyrl/index.ts";
import { slime } from "./slime/index.ts";
import { verifiers } from "./verifiers/index.ts";
import { verl } from "./verl/index.ts";
import { xtuner, xtunerDebug } from "./xtuner/index.ts";

export { checkPackedRecord };

export const ADAPTERS: readonly Adapter[] = [
  record,
  xtuner,
  xtunerDebug,
  nemoRl,
  primeRl,
  slime,
  skyrl,
  roll,
  areal,
  verifiers,
  nemoGym,
  rllm,
  art,
  openInstruct,
  maxtext,
  verl,
  ntl,
  oneSided,
  servers,
  generic,
];

/** Names of the marker files by which trainers say that a folder is complete. */
export const COMPLETE_MARKERS: ReadonlySet<string> = new Set(
  ADAPTERS.flatMap(({ completeWhen }) => completeWhen ?? []),
);

export type {
  Adapter,
  AdapterContext,
  ColumnMapping,
  Companion,
  Joined,
  Match,
  OnePolicy,
  PartFile,
  Reading,
} from "./adapter.ts";
export { unrecognised } from "./generic/index.ts";
