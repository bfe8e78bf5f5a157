/**
 * Every trainer's preset, in the order in which they are listed.
 *
 * @module
 */
import { UsageError } from "../../base/errors.ts";
import { areal } from "./areal.ts";
import { miles } from "./miles.ts";
import { msSwift } from "./ms-swift.ts";
import { nemoRl } from "./nemo-rl.ts";
import { openInstruct } from "./open-instruct.ts";
import { openrlhf } from "./openrlhf.ts";
import type { Preset } from "./preset.ts";
import { primeRl, primeRlIpo } from "./prime-rl.ts";
import { roll } from "./roll.ts";
import { skyrl } from "./skyrl.ts";
import { slime } from "./slime.ts";
import { slimeMis } from "./slime-mis.ts";
import { trl } from "./trl.ts";
import { verl } from "./verl.ts";
import { xtuner } from "./xtuner.ts";

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
