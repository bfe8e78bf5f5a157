import type { Settings } from "../shared/index.ts";

/** Effects of AReaL's settings that their names do not show. */
export function arealTraps(settings: Settings): readonly string[] {
  const { level, action, metric, agg, lower } = settings;
  if (level === null) {
    return [
      "rejection_sampling null switches off the behavior weight too, not only the filter: the loss ignores the mismatch, and no behave_* metric is logged",
    ];
  }
  if (settings.use_decoupled_loss === false) {
    return [
      'use_decoupled_loss false: "rejection_sampling is configured but use_decoupled_loss=False. Filtering will be ignored." Both sides are then the same log-probs and every ratio is 1',
    ];
  }
  const traps = [
    "use_decoupled_loss is false and rejection_sampling null by default: without the first the second does nothing",
    "log-ratios that are not finite become 0: the weight of such a token is 1",
    "behave_approx_kl has the sign of Δ (minus k1) and is averaged over kept tokens only, so dropping the worst tokens makes it look better",
    "rs_filtered_fraction is the unweighted mean of the micro-batches' fractions",
  ];
  if (action === "mask") {
    traps.push(
      "dropped tokens still count in the loss's denominator, which is computed before they are dropped",
    );
  }
  if (lower === null && (metric === "ratio" || metric === "kl_k1")) {
    traps.push(
      "lower null: tokens whose probability collapsed are kept, only those whose probability grew are bounded",
    );
  }
  if (metric === "kl_k1") {
    traps.push(
      "kl_k1 is log ρ = Δ, the opposite sign of k1 elsewhere: upper bounds growth, lower bounds collapse",
    );
  }
  if (metric === "kl_k3") {
    traps.push(
      'kl_k3 is exp(−Δ) − 1 + Δ, although documented as "r - log(r) - 1" with r = π_proximal/π_behave: it explodes for tokens whose probability fell, and barely reacts to those whose probability rose',
    );
  }
  if (metric !== "ratio")
    traps.push(
      `metric ${String(metric)} decides what is dropped; the weight is the raw token ratio, unbounded`,
    );
  if (level === "sequence" && metric === "ratio") {
    traps.push(
      `the weight of a sequence is the geometric mean of its ratios whatever agg is${agg === "mean" ? "" : `; agg ${String(agg)} only decides what is ${action === "clamp" ? "clamped" : "dropped"}`}`,
    );
  }
  if (level === "sequence" && agg === "sum") {
    traps.push("agg sum grows with length: the same bound drops long sequences");
  }
  if (level === "token" && agg !== "mean") traps.push(`agg ${String(agg)} is ignored at token level`);
  return traps;
}
