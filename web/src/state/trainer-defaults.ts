/**
 * What trainers do when their correction is switched on and nothing else is set, as far as the picture can show it. A
 * test holds this to the presets themselves, which are too large for the page.
 *
 * @module
 */
import type { Setting } from "./setting.ts";

export interface TrainerDefault {
  /** As `logratio correct --preset` names them. */
  readonly presets: readonly string[];
  readonly title: string;
  readonly setting: Setting;
  /** What the trainer does besides. */
  readonly besides?: string;
}

const TOKEN: Setting = { level: "token", method: "truncate", cap: 2, low: 0.5, high: 2, veto: null };

export const TRAINER_DEFAULTS: readonly TrainerDefault[] = [
  { presets: ["slime", "miles"], title: "slime, miles", setting: TOKEN },
  { presets: ["open-instruct", "ms-swift"], title: "open-instruct, ms-swift", setting: TOKEN },
  { presets: ["roll"], title: "ROLL", setting: { ...TOKEN, cap: 1.2 } },
  {
    presets: ["slime-mis"],
    title: "slime (MIS)",
    setting: { ...TOKEN, method: "both", veto: 1e-4 },
    besides: "it divides the weights by their mean as well",
  },
  {
    presets: ["openrlhf"],
    title: "OpenRLHF",
    setting: { ...TOKEN, cap: 5 },
    besides: "it raises weights below 0.5 to 0.5 as well",
  },
  { presets: ["areal"], title: "AReaL", setting: { ...TOKEN, method: "icepop", low: 0, high: 5 } },
  {
    presets: ["trl"],
    title: "TRL",
    setting: { ...TOKEN, level: "sequence", method: "icepop", low: 0, high: 3 },
  },
];

/** Presets that do nothing until they are told to. */
export const OFF_BY_DEFAULT: readonly string[] = ["verl", "xtuner", "skyrl"];
