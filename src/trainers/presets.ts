/**
 * All trainers' presets, in their listed order.
 *
 * @module
 */
import { UsageError } from "../core/base/index.ts";
import { areal } from "./areal/preset.ts";
import { miles } from "./miles/preset.ts";
import { msSwift } from "./ms-swift/preset.ts";
import { nemoRl } from "./nemo-rl/preset.ts";
import { openInstruct } from "./open-instruct/preset.ts";
import { openrlhf } from "./openrlhf/preset.ts";
import { primeRl, primeRlIpo } from "./prime-rl/preset.ts";
import { roll } from "./roll/preset.ts";
import type { Preset } from "./shared/preset.ts";
import { skyrl } from "./skyrl/preset.ts";
import { slimeMis } from "./slime/mis-preset.ts";
import { slime } from "./slime/preset.ts";
import { trl } from "./trl/preset.ts";
import { verl } from "./verl/preset.ts";
import { xtuner } from "./xtuner/preset.ts";

/**
 * All trainers' presets, in the order of `logratio correct --list`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { PRESETS } from "logratio/corrections";
 *
 * assert(PRESETS.some(({ trainer }) => trainer === "slime"));
 * ```
 */
export const PRESETS: readonly Preset[] = [
  verl,
  xtuner,
  trl,
  slime,
  slimeMis,
  miles,
  openrlhf,
  nemoRl,
  skyrl,
  areal,
  primeRl,
  primeRlIpo,
  roll,
  openInstruct,
  msSwift,
];

/**
 * Finds a trainer's preset: its settings under its own names, what they mean, the metrics it would log, its config.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { completeSettings, describeCorrection, presetNamed } from "logratio/corrections";
 *
 * const verl = presetNamed("verl");
 * const settings = completeSettings(verl, { rollout_is: "token", rollout_is_threshold: 2 });
 * assert(describeCorrection(verl.correction(settings)).includes("truncated above at 2")); // a ratio
 * ```
 *
 * @param name as in `--preset`: `verl`, `xtuner`, `trl`, `slime`, `openrlhf`, `nemo-rl`, `prime-rl`, …
 * @returns the preset; its `correction(settings)` is what `applyCorrection` takes
 * @throws UsageError with the known presets
 */
export function presetNamed(name: string): Preset {
  const preset = PRESETS.find((each) => each.name === name);
  if (preset) return preset;
  throw new UsageError(`unknown preset "${name}"`, {
    hint: `the presets are ${PRESETS.map((each) => each.name).join(", ")}`,
  });
}
