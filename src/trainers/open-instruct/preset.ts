import { UsageError } from "../../core/base/index.ts";
import type { Correction, Measure, Reject, Step, Truncate, Weight } from "../neutral/correction.ts";
import type { Parameter, Preset, Settings } from "../shared/preset.ts";
import { makeBounds, requiredNumber } from "../shared/read-setting.ts";
import { firstExpressing, plainForm } from "../shared/same-effect.ts";
import { openInstructMetrics } from "./correction-metrics.ts";
import { openInstructTraps } from "./traps.ts";

/** Each Δ is clamped to this many nats, before any mean (grpo_utils.py compute_rho_correction). */
const DELTA_BOUND = 10;
const TOKEN: Weight = { level: "token", aggregation: "sum", deltaBound: DELTA_BOUND };
const GEOMETRIC: Weight = { level: "sequence", aggregation: "mean", deltaBound: DELTA_BOUND };
const MEAN_DISTANCE: Measure = { ...GEOMETRIC, statistic: "ratio_distance", aggregation: "mean" };

const bound = (name: string, fallback: number, meaning: string): Parameter => ({
  name,
  kind: "number",
  fallback,
  meaning,
});

const parameters: readonly Parameter[] = [
  {
    name: "use_rho_correction",
    kind: "boolean",
    fallback: true,
    meaning: "multiply the loss by the clamped and masked ratio",
  },
  bound("rho_clamp_lower_bound", 0, "the ratio is clamped from below to this; below 1, 0.0 for off"),
  bound("rho_clamp_upper_bound", 2, "the ratio is clamped from above to this; above 1, 0.0 for off"),
  bound("rho_mask_lower_bound", 0, "tokens with a ratio below this get weight 0; below 1, 0.0 for off"),
  bound("rho_mask_upper_bound", 0, "tokens with a ratio above this get weight 0; above 1, 0.0 for off"),
  {
    name: "rho_mask_sequence_level",
    kind: "boolean",
    fallback: false,
    meaning: "weight and mask by the geometric mean over the row",
  },
  {
    name: "rho_mask_tv_divergence",
    kind: "boolean",
    fallback: false,
    meaning:
      "compare the mask bounds with the row's mean |ρ − 1|, and drop only tokens whose advantage has the sign of Δ",
  },
];

/** open-instruct's ρ correction: clamp and zero by bounds, where 0.0 means no bound. */
export const openInstruct: Preset = {
  name: "open-instruct",
  trainer: "open-instruct",
  summary: "token or geometric weight, clamped and zeroed by bounds (0.0 is off), or zeroed by mean |ρ − 1|",
  source: "allenai/open-instruct open_instruct/grpo_utils.py, e6c3044a",
  parameters,

  correction(settings: Settings): Correction {
    if (settings.use_rho_correction !== true) return { steps: [] };
    checkBounds(settings);
    const weight = settings.rho_mask_sequence_level === true ? GEOMETRIC : TOKEN;
    const clamp = makeBounds(on(settings, "rho_clamp_lower_bound"), on(settings, "rho_clamp_upper_bound"));
    const mask = makeBounds(on(settings, "rho_mask_lower_bound"), on(settings, "rho_mask_upper_bound"));
    const steps: Step[] = [];
    // Dropping is decided by the ratio before the clamp; a dropped weight stays 0 whatever the clamp's lower bound.
    if (Object.keys(clamp).length > 0) steps.push({ action: "truncate", ...clamp });
    if (Object.keys(mask).length > 0) steps.push(drop(settings, weight, mask));
    return { weight, steps };
  },

  traps: openInstructTraps,

  metrics: (settings) => openInstructMetrics(settings),

  express(correction) {
    const { weight, steps } = plainForm(correction);
    const clamp = steps.find((step): step is Truncate => step.action === "truncate");
    const mask = steps.find((step): step is Reject => step.action === "zero");
    return firstExpressing(openInstruct, correction, [
      {
        use_rho_correction: weight !== undefined,
        rho_clamp_lower_bound: clamp?.lower ?? 0,
        rho_clamp_upper_bound: clamp?.upper ?? 0,
        rho_mask_lower_bound: mask?.lower ?? 0,
        rho_mask_upper_bound: mask?.upper ?? 0,
        rho_mask_sequence_level: weight?.level === "sequence",
        rho_mask_tv_divergence: mask?.only !== undefined,
      },
      ...(weight ? [] : [{ use_rho_correction: false }]),
    ]);
  },

  config(settings) {
    const names =
      settings.use_rho_correction === true ? parameters.map(({ name }) => name) : ["use_rho_correction"];
    return {
      language: "flags",
      place: "open_instruct/grpo_fast.py",
      text: names.map((name) => `--${name} ${flagValue(settings[name] ?? null)}`).join(" \\\n"),
    };
  },
};

function drop(settings: Settings, weight: Weight, mask: { lower?: number; upper?: number }): Reject {
  const shared = { action: "zero", nan: "kept", ...mask } as const;
  return settings.rho_mask_tv_divergence === true
    ? { ...shared, measure: MEAN_DISTANCE, only: "diverging tokens" }
    : { ...shared, measure: { statistic: "ratio", ...weight } };
}

/** A bound that is on: greater than 0.0. */
function on(settings: Settings, name: string): number | undefined {
  const value = requiredNumber("open-instruct", settings, name);
  return value > 0 ? value : undefined;
}

/** GRPOExperimentConfig.__post_init__, with its messages quoted. */
function checkBounds(settings: Settings): void {
  for (const kind of ["rho_mask", "rho_clamp"]) {
    const [low, high] = [`${kind}_lower_bound`, `${kind}_upper_bound`];
    const lower = on(settings, low);
    if (lower !== undefined && lower >= 1) {
      throw new UsageError(
        `open-instruct refuses these settings: "${low} must satisfy 0 < lb < 1 when set, got ${lower}."`,
      );
    }
    const upper = on(settings, high);
    if (upper !== undefined && upper <= 1) {
      throw new UsageError(
        `open-instruct refuses these settings: "${high} must be > 1 when set, got ${upper}."`,
      );
    }
  }
}

/** The values as argparse reads them into a dataclass. */
function flagValue(value: Settings[string]): string {
  return typeof value === "boolean" ? (value ? "True" : "False") : String(value);
}
