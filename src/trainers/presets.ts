/**
 * All trainers' presets, in their listed order.
 *
 * @module
 */
import { UsageError } from "../core/base/index.ts";
import { METHODS } from "./registry/methods.ts";
import type { Preset } from "./shared/preset.ts";

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
export const PRESETS: readonly Preset[] = METHODS.flatMap(({ presets = [] }) => presets);

/** Those whose settings the trainer's newest release takes: what is offered where none is named. */
export const NEWEST_PRESETS: readonly Preset[] = PRESETS.filter(({ until }) => until === undefined);

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
