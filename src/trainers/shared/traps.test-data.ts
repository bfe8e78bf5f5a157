import type { Preset, Settings } from "./preset.ts";

/** The sentences of a preset's traps. */
export function listTraps(preset: Preset, settings: Settings): string[] {
  return preset.traps(settings).map(({ says }) => says);
}
