import type { Settings } from "../shared/index.ts";
import { pythonFloat } from "../shared/index.ts";
import type { VerlImportance, VerlPlan, VerlRejection } from "./settings.ts";

/**
 * Effects of verl's settings that their names do not show; rules are quoted from rollout_corr_helper.py @ 1dda039b.
 */
export function verlTraps(settings: Settings, { importance, rejections }: VerlPlan): readonly string[] {
  return [
    ...switchedOff(settings, rejections),
    ...(importance ? ofWeights(importance) : []),
    ...rejections.flatMap(ofRejection),
    ...ofList(rejections),
    ...misread(settings),
  ];
}

function switchedOff(settings: Settings, rejections: readonly VerlRejection[]): string[] {
  if (settings.rollout_is !== null && settings.rollout_is_threshold === null) {
    return [
      `rollout_is is ${settings.rollout_is}, but rollout_is_threshold is null: verl then computes no weights at all`,
    ];
  }
  if (settings.rollout_is === null && rejections.length === 0) {
    return [
      "rollout_is and rollout_rs are null, as in verl's YAML: nothing is corrected, only metrics are logged (the dataclass behind it defaults to rollout_is=sequence)",
    ];
  }
  return [];
}

function ofWeights({ level, lower, upper, normalize }: VerlImportance): string[] {
  const traps: string[] = [];
  if (level === "sequence") {
    traps.push(
      `rollout_is=sequence multiplies the ratios of all tokens: with a mean Δ of ±0.001 nats, 1,000 tokens make a factor of ${Math.exp(1).toFixed(2)} and 10,000 one of ${Math.exp(10).toFixed(0)}, so long sequences end up at the bound or near 0`,
    );
  }
  if (lower === undefined) {
    traps.push(
      `a single rollout_is_threshold clamps from above only: weights below ${pythonFloat(1 / upper)} stay, though they are counted in *_fraction_low`,
    );
  } else {
    traps.push(
      `rollout_is_threshold as text "lower_upper" is IcePop: weights outside [${pythonFloat(lower)}, ${pythonFloat(upper)}] become 0 and still count in the loss's denominator`,
      "when IcePop zeroes every weight of a batch, verl stops with ZeroDivisionError in rollout_is_eff_sample_size; logratio gives NaN there",
    );
  }
  if (normalize) {
    traps.push(
      `batch normalization comes after the threshold: weights can exceed ${pythonFloat(upper)} where the batch mean is below 1, and all rollout_is_* metrics are of the weights before it`,
    );
  }
  return traps;
}

function ofRejection({
  option,
  statistic,
  aggregation,
  level,
  ratios,
  spec,
  upper,
}: VerlRejection): string[] {
  const traps: string[] = [];
  if (ratios) {
    const [low, high] = ratios;
    const kept = `[${short(1 / high)}, ${short(1 / low)}]`;
    if (!spec.includes("_")) {
      traps.push(`${option}: the single number ${spec} means ${pythonFloat(low)}_${pythonFloat(high)}`);
    }
    const asymmetry = Math.abs(Math.log(low) + Math.log(high));
    // 0.999_1.001 is practically reciprocal: the inversion changes too little to report.
    if (asymmetry > 0.01 * Math.max(Math.abs(Math.log(low)), Math.abs(Math.log(high)))) {
      traps.push(
        `${option}: k1 is −Δ, so "${spec}" bounds π_rollout/π_train, the inverse of the importance ratio: it keeps ρ in ${kept}, not in [${short(low)}, ${short(high)}]; for the latter write "${pythonFloat(Math.max(1 / high, 1e-9))}_${pythonFloat(1 / low)}"`,
      );
    }
    if (low > 1 || high < 1) {
      traps.push(
        `${option}: "${spec}" does not contain 1, so tokens on which both policies agree are rejected`,
      );
    }
  }
  if (level === "sequence" && aggregation === "sum") {
    traps.push(
      `${option}: a sum grows with length, so the same bound rejects long sequences for a mismatch per token at which short ones are kept`,
      `${option}: verl's MetricsAggregator (ppo/v1/utils.py, experimental/fully_async_policy) chooses by substring and adds up keys with "sum" over iterations: rollout_rs_${option}_mean and fractions above 1 are sums`,
    );
  }
  if (level === "sequence" && aggregation === "max") {
    traps.push(
      `${option}: verl chooses by substring how to reduce a key (reduce_metrics, MetricsAggregator), so every rollout_rs_${option}_* figure, means and minima included, is logged as the maximum wherever several are reduced to one (micro-batches in bypass mode, iterations)`,
    );
  }
  if (statistic !== "k1" && upper >= 1) {
    traps.push(`${option}: ${spec} is an upper bound in nats on ${statistic}, not a ratio`);
  }
  return traps;
}

function ofList(rejections: readonly VerlRejection[]): string[] {
  const shared = new Set(rejections.map(({ spec }) => spec)).size === 1;
  const [ratios, nats] = [true, false].map((k1) =>
    rejections.filter(({ statistic }) => (statistic === "k1") === k1).map(({ option }) => option),
  );
  if (rejections.length < 2 || !shared || ratios!.length === 0 || nats!.length === 0) return [];
  return [
    `rollout_rs_threshold ${rejections[0]!.spec} is shared by all options: a ratio for ${ratios!.join(", ")}, nats for ${nats!.join(", ")}`,
  ];
}

/** YAML 1.1 and Hydra's command line drop underscores from what looks like a number. */
function misread(settings: Settings): string[] {
  return ["rollout_is_threshold", "rollout_rs_threshold"].flatMap((name) => {
    const value = settings[name];
    if (typeof value !== "string" || !/^\d+(\.\d*)?_\d+$/.test(value)) return [];
    return [
      `${name}: unquoted, ${value} is the number ${pythonFloat(Number(value.replace("_", "")))} to YAML and to a Hydra override; write "${value}" in quotes`,
    ];
  });
}

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}
