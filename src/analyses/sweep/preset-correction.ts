import { UsageError } from "../../core/base/index.ts";
import type { Preset } from "../../trainers/shared/index.ts";
import { completeSettings, parseSetting } from "../../trainers/shared/index.ts";
import type { NamedCorrection } from "./named-correction.ts";

/**
 * A trainer's own settings as a row of the table, from `verl:rollout_is=token,rollout_is_threshold=2` (a comma not
 * followed by `key=` belongs to the value).
 *
 * @throws UsageError if there is no such preset or setting, or the trainer refuses the values.
 */
export function parsePresetCorrection(text: string, presets: readonly Preset[]): NamedCorrection {
  const at = text.indexOf(":");
  const name = at < 0 ? text : text.slice(0, at);
  const preset = presets.find((candidate) => candidate.name === name.trim());
  if (!preset) {
    throw new UsageError(`unknown preset "${name.trim()}"`, {
      hint: `known: ${presets.map((candidate) => candidate.name).join(", ")}`,
    });
  }
  const pairs = at < 0 ? [] : text.slice(at + 1).split(/,(?=\s*[\w.-]+\s*=)/);
  const given = Object.fromEntries(
    pairs.filter((pair) => pair.trim() !== "").map((pair) => parseSetting(pair.trim())),
  );
  const settings = completeSettings(preset, given);
  const shown = Object.entries(given).map(([key, value]) => `${key}=${String(value)}`);
  return {
    name: [preset.name, ...shown].join(" "),
    methods: [preset.name],
    correction: preset.correction(settings),
    preset: { name: preset.name, settings },
  };
}
