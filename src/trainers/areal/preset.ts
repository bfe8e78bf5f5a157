import { UsageError } from "../../core/base/index.ts";
import type { Bounds, Correction, Measure, Reject, Step, Weight } from "../neutral/correction.ts";
import { yamlLiteral } from "../shared/literals.ts";
import type { Parameter, Preset, Settings } from "../shared/preset.ts";
import { makeBounds, readNumber, requiredNumber } from "../shared/read-setting.ts";
import { firstExpressing, plainForm } from "../shared/same-effect.ts";
import { arealMetrics } from "./correction-metrics.ts";
import { arealTraps } from "./traps.ts";

type Metric = "ratio" | "kl_k1" | "kl_k2" | "kl_k3";

const TOKEN: Weight = { level: "token", aggregation: "sum" };
const GEOMETRIC: Weight = { level: "sequence", aggregation: "mean" };

const parameters: readonly Parameter[] = [
  {
    name: "use_decoupled_loss",
    kind: "boolean",
    fallback: true,
    meaning: "actor.use_decoupled_loss; AReaL's default is false, and false makes every ratio 1",
  },
  {
    name: "level",
    kind: "text",
    fallback: "token",
    choices: ["token", "sequence"],
    meaning: "what the bounds apply to; None means rejection_sampling: null, AReaL's default",
  },
  {
    name: "action",
    kind: "text",
    fallback: "mask",
    choices: ["mask", "clamp"],
    meaning: "mask drops what is outside, clamp bounds its weight (metric ratio only)",
  },
  {
    name: "metric",
    kind: "text",
    fallback: "ratio",
    choices: ["ratio", "kl_k1", "kl_k2", "kl_k3"],
    meaning: "ρ, Δ (with that sign), Δ²/2, or exp(−Δ) − 1 + Δ",
  },
  {
    name: "agg",
    kind: "text",
    fallback: "mean",
    choices: ["sum", "mean", "max"],
    meaning: "how token values (for ratio, their logs) become one per sequence; ignored at token level",
  },
  { name: "upper", kind: "number", fallback: 5, meaning: "upper bound, inclusive; ratio: > 1, kl_*: nats" },
  {
    name: "lower",
    kind: "number",
    fallback: null,
    meaning: "lower bound, inclusive; None for no lower bound",
  },
];

/**
 * AReaL's `RejectionSamplingConfig`: proximal over behavior policy, masked or clamped. M2PO's `m2_threshold` is not
 * covered: it drops the largest Δ² of a micro-batch until the mean of the rest is below it, which does not bound a
 * single value.
 */
export const areal: Preset = {
  name: "areal",
  trainer: "AReaL",
  summary: "decoupled loss: token or geometric sequence weight; mask or clamp by ratio or KL estimator",
  source: "inclusionAI/AReaL areal/utils/functional/functional.py, 4aef98d8",
  parameters,

  correction(settings: Settings): Correction {
    if (settings.level === null || settings.use_decoupled_loss === false) return { steps: [] };
    const { level, action, metric, agg } = named(settings);
    const { lower, upper } = checkedBounds(settings);
    const weight = level === "sequence" && metric === "ratio" ? GEOMETRIC : TOKEN;
    if (action === "clamp") {
      checkClamp(level, agg, lower);
      return { weight, steps: [{ action: "truncate", lower: lower ?? 0, upper }] };
    }
    // Dropped tokens stay in the denominator (loss_mask_count is taken before), and their weight is set to 0.
    const aggregation = level === "token" ? "sum" : agg;
    return { weight, steps: [{ action: "zero", ...measured(metric, level, aggregation, lower, upper) }] };
  },

  traps: arealTraps,

  metrics: (settings) => arealMetrics(settings),

  express(correction) {
    const { weight, steps } = plainForm(correction);
    if (!weight)
      return steps.length === 0 ? firstExpressing(areal, correction, [{ level: null }]) : undefined;
    const step = steps[0];
    if (!step || steps.length !== 1) return undefined;
    return firstExpressing(areal, correction, candidates(step, weight));
  },

  config(settings) {
    const head = `actor:\n  use_decoupled_loss: ${settings.use_decoupled_loss !== false}\n`;
    const place = "the experiment's YAML, under actor";
    if (settings.level === null)
      return { language: "yaml", place, text: `${head}  rejection_sampling: null\n` };
    const own = parameters.filter(({ name }) => name !== "use_decoupled_loss");
    const shown = own.filter(({ name }) => name !== "agg" || settings.level === "sequence");
    const lines = shown.map(({ name }) => `    ${name}: ${bare(settings[name] ?? null)}\n`);
    return { language: "yaml", place, text: `${head}  rejection_sampling:\n${lines.join("")}` };
  },
};

function named(settings: Settings): {
  level: Measure["level"];
  action: string;
  metric: Metric;
  agg: Measure["aggregation"];
} {
  return {
    level: settings.level as Measure["level"],
    action: String(settings.action),
    metric: settings.metric as Metric,
    agg: settings.agg as Measure["aggregation"],
  };
}

/** RejectionSamplingConfig.__post_init__ (areal/api/cli_args.py), with its messages quoted. */
function checkedBounds(settings: Settings): { readonly lower: number | undefined; readonly upper: number } {
  const { action, metric } = named(settings);
  const upper = requiredNumber("areal", settings, "upper");
  const lower = readNumber(settings, "lower");
  const refuse = (rule: string): UsageError => new UsageError(`AReaL refuses these settings: "${rule}"`);
  if (lower !== undefined && lower > upper) {
    throw refuse(`lower (${lower}) cannot be greater than upper (${upper})`);
  }
  if (metric === "ratio" && upper <= 1) {
    throw refuse(
      `upper must be > 1.0 for 'ratio' metric (otherwise all non-identical policy tokens will be filtered), got ${upper}`,
    );
  }
  if (metric === "ratio" && lower !== undefined && lower <= 0) {
    throw refuse(`lower must be positive for 'ratio' metric, got ${lower}`);
  }
  if ((metric === "kl_k2" || metric === "kl_k3") && upper <= 0) {
    throw refuse(`upper must be positive for '${metric}' metric, got ${upper}`);
  }
  if (action === "clamp" && metric !== "ratio") {
    throw refuse(
      `action='clamp' only supports metric='ratio' (direct importance weight truncation). Got metric='${metric}'. Use action='mask' for KL-based filtering.`,
    );
  }
  return { lower, upper };
}

/**
 * A clamp at sequence level bounds the geometric mean, but only of sequences whose `agg` is outside the bounds. That
 * equals bounding all of them, unless the mean can be outside while the sum or maximum is inside.
 */
function checkClamp(level: string, agg: string, lower: number | undefined): void {
  if (level === "token" || agg === "mean" || lower === undefined) return;
  if (agg === "sum" && lower <= 1) return;
  throw new UsageError(
    `areal: clamp with agg=${agg} and lower=${lower} is not computed here: AReaL clamps the geometric mean only of sequences whose ${agg} is outside the bounds`,
    { hint: "use agg=mean, or omit lower" },
  );
}

function measured(
  metric: Metric,
  level: Measure["level"],
  aggregation: Measure["aggregation"],
  lower: number | undefined,
  upper: number,
): Pick<Reject, "measure"> & Bounds {
  const of = (statistic: Measure["statistic"]): Measure => ({ statistic, level, aggregation });
  switch (metric) {
    case "ratio":
      return { measure: of("ratio"), ...makeBounds(lower, upper) };
    case "kl_k1":
      // Δ is −k1; its maximum is the log of the largest ratio.
      return aggregation === "max"
        ? {
            measure: of("ratio"),
            ...makeBounds(lower === undefined ? lower : Math.exp(lower), Math.exp(upper)),
          }
        : { measure: of("k1"), ...makeBounds(-upper, lower === undefined ? lower : -lower) };
    case "kl_k2":
      return { measure: of("k2"), ...makeBounds(lower, upper) };
    case "kl_k3":
      return { measure: of("k3_reverse"), ...makeBounds(lower, upper) };
  }
}

function candidates(step: Step, weight: Weight): readonly Settings[] {
  const level = weight.level;
  if (step.action === "truncate") {
    return [{ level, action: "clamp", upper: step.upper ?? null, lower: step.lower ?? null }];
  }
  if (step.action !== "zero" || step.measure === "weight") return [];
  const { statistic, level: judged, aggregation } = step.measure;
  const shared = { level: judged, agg: judged === "token" ? "mean" : aggregation };
  const [lower, upper] = [step.lower, step.upper];
  const plain = { lower: lower ?? null, upper: upper ?? null };
  const log = (value: number | undefined): number | null => (value === undefined ? null : roundedLog(value));
  switch (statistic) {
    case "ratio":
      return [
        { ...shared, metric: "ratio", ...plain },
        { ...shared, metric: "kl_k1", lower: log(lower), upper: log(upper) },
      ];
    case "k1":
      return [
        {
          ...shared,
          metric: "kl_k1",
          lower: upper === undefined ? null : -upper,
          upper: lower === undefined ? null : -lower,
        },
      ];
    case "k2":
      return [{ ...shared, metric: "kl_k2", ...plain }];
    case "k3_reverse":
      return [{ ...shared, metric: "kl_k3", ...plain }];
    default:
      return [];
  }
}

/** The short decimal whose exponential this is, if there is one. */
function roundedLog(value: number): number {
  return Number(Math.log(value).toPrecision(12));
}

/** Plain words need no quotes. */
function bare(value: Settings[string]): string {
  return typeof value === "string" ? value : yamlLiteral(value ?? null);
}
