import type { ShippedCorrection } from "../../../../results/view.ts";
import { completeSettings, NEWEST_PRESETS } from "../../../../trainers/index.ts";
import { describeCorrection, formatCorrection, parseCorrection } from "../../../../trainers/neutral/index.ts";

/** What trainers do with their correction enabled and nothing else set; presets with the same effect are merged. */
export function shippedCorrections(): ShippedCorrection[] {
  const presets = new Map<string, string[]>();
  for (const preset of NEWEST_PRESETS) {
    const text = formatCorrection(preset.correction(completeSettings(preset, {})));
    presets.set(text, [...(presets.get(text) ?? []), preset.name]);
  }
  return [...presets].map(([correction, names]) => ({
    presets: names,
    correction,
    words: describeCorrection(parseCorrection(correction)),
  }));
}
