import { UsageError } from "../../core/base/index.ts";
import { NEWEST_PRESETS, PRESETS, presetNamed } from "../../trainers/index.ts";
import type { Preset } from "../../trainers/shared/index.ts";
import { readCorrectionFlag } from "./correction-flag.ts";
import { defaultGrid, pickMethods } from "./grid.ts";
import { type NamedCorrection, nameByText } from "./named-correction.ts";
import { parsePresetCorrection } from "./preset-correction.ts";

/** Which corrections to try, as in the flags of `logratio sweep`. */
export interface GridOptions {
  /** Names of methods of the grid, separated by commas; default all. */
  readonly methods?: string;
  /** A trainer's correction, with the settings in `set` (`key=value`). */
  readonly preset?: string;
  readonly set?: readonly string[];
  /** Trainers' corrections: `NAME:key=value,key=value`. */
  readonly setting?: readonly string[];
  /** Corrections as their texts. */
  readonly correction?: readonly string[];
}

/**
 * The grid, restricted to `methods`, and the corrections that were requested.
 *
 * @throws UsageError if one cannot be parsed
 */
export function chooseCorrections({
  methods,
  preset,
  set = [],
  setting = [],
  correction = [],
}: GridOptions): readonly NamedCorrection[] {
  if (set.length > 0 && preset === undefined)
    throw new UsageError("--set needs --preset", {
      hint: "add --preset NAME, or write --setting 'NAME:key=value,key=value'",
    });
  const own = [...(preset === undefined ? [] : [`${preset}:${set.join(",")}`]), ...setting];
  const wanted = splitNames(methods);
  const grid = wanted.length === 0 ? defaultGrid() : pickMethods(defaultGrid(), wanted);
  return [
    ...grid,
    ...own.map((text) => parsePresetCorrection(text, PRESETS)),
    ...correction.map((text) => nameByText(readCorrectionFlag(text))),
  ];
}

/** The presets of `--for`, by name; default those of the newest releases. @throws UsageError listing the known ones */
export function choosePresets(names: string | undefined): readonly Preset[] {
  return names === undefined ? NEWEST_PRESETS : splitNames(names).map(presetNamed);
}

/** Names separated by commas. */
export function splitNames(list: string | undefined): string[] {
  return (list ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}
