import { UsageError } from "../../core/base/index.ts";
import type { Correction, Step } from "../neutral/correction.ts";
import { yamlLiteral } from "../shared/literals.ts";
import type { Parameter, Preset, Settings, Trap } from "../shared/preset.ts";
import { readNumber } from "../shared/read-setting.ts";
import { firstExpressing, plainForm } from "../shared/same-effect.ts";

const FIX = "importance_sampling_fix";
const CLIP = "importance_sampling_clip";
const THRESHOLD = "behave_weight_threshold";

const parameters: readonly Parameter[] = [
  {
    name: FIX,
    kind: "boolean",
    fallback: true,
    meaning: "multiply advantages by exp(recomputed − rollout) per token, capped; RLinf's default is False",
  },
  { name: CLIP, kind: "number", fallback: 2, meaning: "the cap; RLinf has no default for it" },
  {
    name: THRESHOLD,
    kind: "number",
    fallback: null,
    meaning: "decoupled losses: tokens whose raw ratio is above it leave the mask; None for off",
  },
];

/** RLinf's capped weights on advantages, and the behavior weight of its decoupled losses. */
export const rlinf: Preset = {
  name: "rlinf",
  trainer: "RLinf",
  summary:
    "a capped token ratio on advantages; decoupled losses: raw ratios, tokens above a threshold masked",
  source: "RLinf/RLinf rlinf/algorithms/losses.py, rlinf/workers/actor/fsdp_actor_worker.py, 0.3.0",
  parameters,

  correction(settings: Settings): Correction {
    const threshold = readNumber(settings, THRESHOLD);
    const [on, cap] = [settings[FIX] === true, readNumber(settings, CLIP)];
    if (!on && threshold === undefined) return { steps: [] };
    if (on && cap === undefined)
      throw new UsageError(`rlinf: ${FIX} reads ${CLIP}, which has no default`, { hint: `${CLIP} 2.0` });
    const steps: Step[] = [
      ...(threshold === undefined
        ? []
        : [{ action: "mask" as const, measure: "weight" as const, upper: threshold }]),
      ...(on ? [{ action: "truncate" as const, upper: cap! }] : []),
    ];
    return { weight: { level: "token", aggregation: "sum" }, steps };
  },

  traps: (settings) => rlinfTraps(settings),

  metrics: () => ({ add: () => undefined, finish: () => ({}) }),

  express(correction) {
    const { steps } = plainForm(correction);
    const upperOf = (action: Step["action"]): number | null =>
      steps.flatMap((step) => (step.action === action && "upper" in step ? (step.upper ?? []) : []))[0] ??
      null;
    const [cap, threshold] = [upperOf("truncate"), upperOf("mask")];
    return firstExpressing(rlinf, correction, [
      { [FIX]: cap !== null, ...(cap !== null && { [CLIP]: cap }), [THRESHOLD]: threshold },
    ]);
  },

  config(settings) {
    const names = settings[FIX] === true ? [FIX, CLIP, THRESHOLD] : [FIX, THRESHOLD];
    const lines = names.map((name) => `  ${name}: ${yamlLiteral(settings[name] ?? null)}\n`);
    return { language: "yaml", place: "the run's YAML, top level", text: `algorithm:\n${lines.join("")}` };
  },
};

function rlinfTraps(settings: Settings): readonly Trap[] {
  const traps: Trap[] = [];
  if (settings[FIX] === true) traps.push({ says: `${CLIP} caps from above only: ratios near 0 stay` });
  if (settings[THRESHOLD] !== null)
    traps.push({
      says: `${THRESHOLD} masks tokens above it and caps nothing: what stays is weighted by its raw ratio`,
      severity: "warning",
      code: "raw-weights",
      setting: THRESHOLD,
    });
  return traps;
}
