/**
 * A correction as every trainer's config.
 *
 * @module
 */

import type { SweepConfig, SweepReport } from "../../results/sweep.ts";
import type { Correction } from "../../trainers/neutral/index.ts";
import { correctionClauses } from "../../trainers/neutral/index.ts";
import type { Preset } from "../../trainers/shared/index.ts";
import { sameEffect } from "../../trainers/shared/index.ts";

/** The config of each trainer that can do exactly this, and why the others cannot. */
export function writeConfigs(
  correction: Correction,
  presets: readonly Preset[],
): Pick<SweepReport, "configs" | "inexpressible"> {
  const configs: SweepConfig[] = [];
  const inexpressible: { trainer: string; preset: string; why: string }[] = [];
  for (const preset of presets) {
    const { trainer, name } = preset;
    const settings = preset.express(correction);
    if (settings === undefined) {
      inexpressible.push({ trainer, preset: name, why: reasonWhyNot(correction, preset) });
      continue;
    }
    const { language, place, text } = preset.config(settings);
    configs.push({
      trainer,
      preset: name,
      language,
      place,
      text,
      traps: preset.traps(settings).map(({ says }) => says),
    });
  }
  return { configs, inexpressible };
}

/**
 * The same correction with the other treatment of rejected tokens: they leave the mask instead of losing their weight,
 * or the reverse.
 */
function otherwiseRejected({ steps, ...rest }: Correction): Correction {
  const swapped = { mask: "zero", zero: "mask" } as const;
  return {
    ...rest,
    steps: steps.map((step) =>
      (step.action === "mask" || step.action === "zero") && step.measure !== "weight"
        ? { ...step, action: swapped[step.action] }
        : step,
    ),
  };
}

/** Names the single part that keeps the trainer from expressing the correction, if there is one. */
function reasonWhyNot(correction: Correction, preset: Preset): string {
  const { weight, steps } = correction;
  const other = otherwiseRejected(correction);
  if (!sameEffect(other, correction) && preset.express(other) !== undefined) {
    return steps.some(({ action }) => action === "mask")
      ? "sets the weight of what it rejects to 0 instead of masking it, so it stays in the loss's denominator"
      : "masks what it rejects instead of setting its weight to 0, so it leaves the loss's denominator";
  }
  for (let at = steps.length - 1; at >= 0; at--) {
    const rest = steps.filter((_, i) => i !== at);
    if (rest.length === 0 && !weight) continue;
    if (preset.express({ ...correction, steps: rest }) === undefined) continue;
    const clauses = correctionClauses({ ...(weight && { weight }), steps: [steps[at]!] });
    return `has the rest, but not: ${clauses[clauses.length - 1]}`;
  }
  const maskOnly = steps.filter((step) => "measure" in step && step.measure !== "weight");
  if (weight && maskOnly.length > 0 && preset.express({ steps: maskOnly }) !== undefined)
    return "has the rejection, but not together with these weights";
  return "has no settings that do this";
}
