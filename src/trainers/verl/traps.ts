import type { Settings, Trap } from "../shared/preset.ts";
import { pythonFloat } from "../shared/python-text.ts";
import type { VerlImportance, VerlPlan, VerlRejection } from "./settings.ts";

/** Inverting k1's pair is an error if it moves a bound by this many nats, and a warning below. */
const NEARLY_RECIPROCAL = 0.1;

/**
 * Effects of verl's settings that their names do not show; rules are quoted from rollout_corr_helper.py @ 1dda039b.
 */
export function verlTraps(settings: Settings, { importance, rejections }: VerlPlan): readonly Trap[] {
  return [
    ...switchedOff(settings, rejections),
    ...(importance ? ofWeights(importance) : []),
    ...rejections.flatMap(ofRejection),
    ...ofList(rejections),
    ...misread(settings),
  ];
}

function switchedOff(settings: Settings, rejections: readonly VerlRejection[]): Trap[] {
  if (settings.rollout_is !== null && settings.rollout_is_threshold === null) {
    return [
      {
        says: `rollout_is is ${settings.rollout_is}, but rollout_is_threshold is null: verl then computes no weights at all`,
        severity: "error",
        code: "not-switched-on",
        setting: "rollout_is_threshold",
      },
    ];
  }
  if (settings.rollout_is === null && rejections.length === 0) {
    return [
      {
        says: "rollout_is and rollout_rs are null, as in verl's YAML: nothing is corrected, only metrics are logged (the dataclass behind it defaults to rollout_is=sequence)",
        setting: ["rollout_is", "rollout_rs"],
      },
    ];
  }
  return [];
}

function ofWeights({ level, lower, upper, normalize }: VerlImportance): Trap[] {
  const traps: Trap[] = [];
  if (level === "sequence") {
    traps.push({
      says: `rollout_is=sequence multiplies the ratios of all tokens: with a mean Δ of ±0.001 nats, 1,000 tokens make a factor of ${Math.exp(1).toFixed(2)} and 10,000 one of ${Math.exp(10).toFixed(0)}, so long sequences end up at the bound or near 0`,
      severity: "warning",
      code: "product-ratio",
      setting: "rollout_is",
    });
  }
  if (lower === undefined) {
    traps.push({
      says: `a single rollout_is_threshold clamps from above only: weights below ${pythonFloat(1 / upper)} stay, though they are counted in *_fraction_low`,
      setting: ["rollout_is_threshold", "rollout_is"],
    });
  } else {
    traps.push(
      {
        says: `rollout_is_threshold as text "lower_upper" is IcePop: weights outside [${pythonFloat(lower)}, ${pythonFloat(upper)}] become 0 and still count in the loss's denominator`,
        severity: "warning",
        code: "icepop",
        setting: "rollout_is_threshold",
      },
      {
        says: "when IcePop zeroes every weight of a batch, verl stops with ZeroDivisionError in rollout_is_eff_sample_size; logratio gives NaN there",
        setting: "rollout_is_threshold",
      },
    );
  }
  if (normalize) {
    traps.push({
      says: `batch normalization comes after the threshold: weights can exceed ${pythonFloat(upper)} where the batch mean is below 1, and all rollout_is_* metrics are of the weights before it`,
      severity: "warning",
      code: "normalized-after",
      setting: "rollout_is_batch_normalize",
    });
  }
  return traps;
}

function ofRejection({ option, statistic, aggregation, level, ratios, spec, upper }: VerlRejection): Trap[] {
  const traps: Trap[] = [];
  if (ratios) {
    const [low, high] = ratios;
    const [kept, meant] = [`[${short(1 / high)}, ${short(1 / low)}]`, `[${short(low)}, ${short(high)}]`];
    if (!spec.includes("_")) {
      traps.push({
        says: `${option}: the single number ${spec} means ${pythonFloat(low)}_${pythonFloat(high)}`,
        severity: "warning",
        code: "reciprocal-bound",
        setting: "rollout_rs_threshold",
      });
    }
    const asymmetry = Math.abs(Math.log(low) + Math.log(high));
    // 0.999_1.001 is practically reciprocal: the inversion changes too little to report.
    if (asymmetry > 0.01 * Math.max(Math.abs(Math.log(low)), Math.abs(Math.log(high)))) {
      traps.push({
        says: `${option}: k1 is −Δ, so "${spec}" bounds π_rollout/π_train, the inverse of the importance ratio: it keeps ρ in ${kept}, not in ${meant}; for the latter write "${pythonFloat(Math.max(1 / high, 1e-9))}_${pythonFloat(1 / low)}"`,
        // Pairs that round to the same text say nothing.
        severity: kept === meant ? "drop" : asymmetry < NEARLY_RECIPROCAL ? "warning" : "error",
        code: "bounds-inverted",
        setting: "rollout_rs_threshold",
      });
    }
    if (low > 1 || high < 1) {
      traps.push({
        says: `${option}: "${spec}" does not contain 1, so tokens on which both policies agree are rejected`,
        severity: "drop",
        code: "bounds-exclude-agreement",
      });
    }
  }
  if (level === "sequence" && aggregation === "sum") {
    traps.push(
      {
        says: `${option}: a sum grows with length, so the same bound rejects long sequences for a mismatch per token at which short ones are kept`,
      },
      {
        says: `${option}: verl's MetricsAggregator (ppo/v1/utils.py, experimental/fully_async_policy) chooses by substring and adds up keys with "sum" over iterations: rollout_rs_${option}_mean and fractions above 1 are sums`,
        severity: "warning",
        code: "metric-is-a-sum",
        setting: "rollout_rs",
      },
    );
  }
  if (level === "sequence" && aggregation === "max") {
    traps.push({
      says: `${option}: verl chooses by substring how to reduce a key (reduce_metrics, MetricsAggregator), so every rollout_rs_${option}_* figure, means and minima included, is logged as the maximum wherever several are reduced to one (micro-batches in bypass mode, iterations)`,
      setting: "rollout_rs",
    });
  }
  if (statistic !== "k1" && upper >= 1) {
    traps.push({
      says: `${option}: ${spec} is an upper bound in nats on ${statistic}, not a ratio`,
      severity: "warning",
      code: "not-a-ratio",
      setting: "rollout_rs_threshold",
    });
  }
  return traps;
}

function ofList(rejections: readonly VerlRejection[]): Trap[] {
  const shared = new Set(rejections.map(({ spec }) => spec)).size === 1;
  const [ratios, nats] = [true, false].map((k1) =>
    rejections.filter(({ statistic }) => (statistic === "k1") === k1).map(({ option }) => option),
  );
  if (rejections.length < 2 || !shared || ratios!.length === 0 || nats!.length === 0) return [];
  return [
    {
      says: `rollout_rs_threshold ${rejections[0]!.spec} is shared by all options: a ratio for ${ratios!.join(", ")}, nats for ${nats!.join(", ")}`,
      severity: "warning",
      code: "shared-threshold",
      setting: "rollout_rs_threshold",
    },
  ];
}

/** YAML 1.1 and Hydra's command line drop underscores from what looks like a number. */
function misread(settings: Settings): Trap[] {
  return ["rollout_is_threshold", "rollout_rs_threshold"].flatMap((name) => {
    const value = settings[name];
    if (typeof value !== "string" || !/^\d+(\.\d*)?_\d+$/.test(value)) return [];
    return [
      {
        says: `${name}: unquoted, ${value} is the number ${pythonFloat(Number(value.replace("_", "")))} to YAML and to a Hydra override; write "${value}" in quotes`,
        severity: "drop",
        code: "read-as-number",
      },
    ];
  });
}

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}
