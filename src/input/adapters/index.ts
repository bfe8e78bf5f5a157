/**
 * The adapters in the order in which a tie between them is decided. Adding a trainer: a folder and a line here.
 *
 * @module
 */
import type { Adapter } from "./adapter.ts";
import { generic } from "./generic/index.ts";
import { nemoRl } from "./nemo-rl/index.ts";
import { ntl } from "./ntl/index.ts";
import { oneSided } from "./one-sided/index.ts";
import { pair } from "./pair/index.ts";
import { primeRl } from "./prime-rl/index.ts";
import { record } from "./record/index.ts";
import { slime } from "./slime/index.ts";
import { verl } from "./verl/index.ts";
import { xtuner } from "./xtuner/index.ts";

export const ADAPTERS: readonly Adapter[] = [
  record,
  xtuner,
  nemoRl,
  primeRl,
  slime,
  verl,
  ntl,
  oneSided,
  pair,
  generic,
];

/** Names of the files by which trainers say that a folder is complete. */
export const COMPLETE_MARKERS: ReadonlySet<string> = new Set(
  ADAPTERS.flatMap(({ completeWhen }) => completeWhen ?? []),
);

export type { Adapter, AdapterContext, ColumnMapping, Match, OnePolicy, Reading } from "./adapter.ts";
export { unrecognised } from "./generic/index.ts";
export { readPair } from "./pair/index.ts";
export { COLUMN_FLAGS } from "./shared/fields.ts";
