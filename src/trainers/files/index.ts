/**
 * The adapters of every trainer's files and of files from no trainer; on equal scores the earlier one wins.
 *
 * @module
 */
import type { Adapter } from "../../input/adapters/adapter.ts";
import { generic } from "../../input/adapters/generic/index.ts";
import { ntl } from "../../input/adapters/ntl/index.ts";
import { record } from "../../input/adapters/record/index.ts";
import { servers } from "../../input/adapters/servers/index.ts";
import { areal } from "../areal/files/index.ts";
import { art } from "../art/files/index.ts";
import { maxtext } from "../maxtext/files/index.ts";
import { nemoGym } from "../nemo-gym/files/index.ts";
import { nemoRl } from "../nemo-rl/files/index.ts";
import { openInstruct } from "../open-instruct/files/index.ts";
import { primeRl } from "../prime-rl/files/index.ts";
import { rllm } from "../rllm/files/index.ts";
import { roll } from "../roll/files/index.ts";
import { skyrl } from "../skyrl/files/index.ts";
import { slime } from "../slime/files/index.ts";
import { tinker } from "../tinker/files/index.ts";
import { verifiers } from "../verifiers/files/index.ts";
import { verl } from "../verl/files/index.ts";
import { xtuner, xtunerDebug } from "../xtuner/files/index.ts";
import { oneSided } from "./one-sided/index.ts";

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
  tinker,
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
