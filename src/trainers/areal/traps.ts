import type { Settings, Trap } from "../shared/preset.ts";

/** Effects of AReaL's settings that their names do not show. */
export function arealTraps(settings: Settings): readonly Trap[] {
  if (settings.level === null) {
    return [
      {
        says: "rejection_sampling null switches off the behavior weight too, not only the filter: the loss ignores the mismatch, and no behave_* metric is logged",
        setting: "level",
      },
    ];
  }
  if (settings.use_decoupled_loss === false) {
    return [
      {
        says: 'use_decoupled_loss false: "rejection_sampling is configured but use_decoupled_loss=False. Filtering will be ignored." Both sides are then the same log-probs and every ratio is 1',
        severity: "drop",
        code: "not-switched-on",
      },
    ];
  }
  const traps: Trap[] = [
    {
      says: "use_decoupled_loss is false and rejection_sampling null by default: without the first the second does nothing",
      setting: "use_decoupled_loss",
    },
    { says: "log-ratios that are not finite become 0: the weight of such a token is 1" },
    {
      says: "behave_approx_kl has the sign of Δ (minus k1) and is averaged over kept tokens only, so dropping the worst tokens makes it look better",
    },
    { says: "rs_filtered_fraction is the unweighted mean of the micro-batches' fractions" },
  ];
  if (settings.action === "mask") {
    traps.push({
      says: "dropped tokens still count in the loss's denominator, which is computed before they are dropped",
    });
  }
  return [...traps, ...ofMetric(settings), ...ofAggregation(settings)];
}

function ofMetric({ metric, lower }: Settings): Trap[] {
  const traps: Trap[] = [];
  if (lower === null && (metric === "ratio" || metric === "kl_k1")) {
    traps.push({
      says: "lower null: tokens whose probability collapsed are kept, only those whose probability grew are bounded",
      code: "half-open",
      setting: "lower",
    });
  }
  if (metric === "kl_k1") {
    traps.push({
      says: "kl_k1 is log ρ = Δ, the opposite sign of k1 elsewhere: upper bounds growth, lower bounds collapse",
      setting: "metric",
    });
  }
  if (metric === "kl_k3") {
    traps.push({
      says: 'kl_k3 is exp(−Δ) − 1 + Δ, although documented as "r - log(r) - 1" with r = π_proximal/π_behave: it explodes for tokens whose probability fell, and barely reacts to those whose probability rose',
    });
  }
  if (metric !== "ratio")
    traps.push({
      says: `metric ${String(metric)} decides what is dropped; the weight is the raw token ratio, unbounded`,
      setting: "metric",
    });
  return traps;
}

function ofAggregation({ level, action, metric, agg }: Settings): Trap[] {
  const traps: Trap[] = [];
  if (level === "sequence" && metric === "ratio") {
    traps.push({
      says: `the weight of a sequence is the geometric mean of its ratios whatever agg is${agg === "mean" ? "" : `; agg ${String(agg)} only decides what is ${action === "clamp" ? "clamped" : "dropped"}`}`,
      severity: "warning",
      code: "geometric",
      setting: ["level", "metric"],
    });
  }
  if (level === "sequence" && agg === "sum") {
    traps.push({ says: "agg sum grows with length: the same bound drops long sequences", setting: "agg" });
  }
  if (level === "token" && agg !== "mean")
    traps.push({ says: `agg ${String(agg)} is ignored at token level`, setting: "agg" });
  return traps;
}
