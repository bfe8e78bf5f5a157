/**
 * Every trainer's preset, in the order in which they are listed.
 *
 * @module
 */
import { UsageError } from "../core/base/errors.ts";
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

/** @throws UsageError naming the presets there are. */
export function presetNamed(name: string): Preset {
  const preset = PRESETS.find((each) => each.name === name);
  if (preset) return preset;
  throw new UsageError(`there is no preset "${name}"`, {
    hint: `the presets are ${PRESETS.map((each) => each.name).join(", ")}`,
  });
}
