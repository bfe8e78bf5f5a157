import type { Bounds } from "../neutral/correction.ts";
import type { Settings, Trap } from "../shared/preset.ts";
import { pythonFloat } from "../shared/python-text.ts";
import type { XtunerPlan } from "./settings.ts";

/** Effects of xtuner's settings that their names do not show (rollout_is.py @ b934f462). */
export function xtunerTraps(settings: Settings, plan: XtunerPlan | undefined): readonly Trap[] {
  if (!plan) return switchedOff(settings);
  const { level, mode, bounds, maskBounds, veto } = plan;
  const traps: Trap[] = [
    {
      says: `rollout_is_threshold is (upper, lower) = ${pair(bounds)}, although its docstring says lower and upper and shows (0.8, 1.2), which fails xtuner's own assert`,
      code: "order",
      setting: "rollout_is_threshold",
    },
  ];
  if (mode !== "mask") {
    traps.push({
      says: `${mode} clamps weights on both sides, so those below ${pythonFloat(bounds.lower)} are raised to it; the documentation says only the upper side`,
      severity: "warning",
      code: "clamps-both-sides",
      setting: "rollout_is_threshold",
    });
  }
  if (mode !== "truncate" && level !== "token" && !(1 >= maskBounds.lower && 1 <= maskBounds.upper)) {
    traps.push({
      says: `the mask keeps weights in [${pythonFloat(maskBounds.lower)}, ${pythonFloat(maskBounds.upper)}], which does not contain 1: sequences on which both policies agree are masked`,
      severity: "drop",
      code: "bounds-exclude-agreement",
    });
  }
  if (mode === "mask") {
    traps.push({
      says: "rollout_is_std and rollout_is_eff_sample_size are of weights clamped to rollout_is_threshold, which mask mode does not clamp; rejected tokens keep their weight there",
      setting: "rollout_is_threshold",
    });
  }
  if (mode === "truncate" && settings.rollout_is_mask_threshold) {
    traps.push({
      says: "rollout_is_mask_threshold has no effect in mode truncate",
      severity: "warning",
      code: "no-effect",
      setting: "rollout_is_mask_threshold",
    });
  }
  if (level === "sequence") {
    traps.push({
      says: `level sequence multiplies the ratios of all tokens: with a mean Δ of ±0.001 nats, 1,000 tokens make a factor of ${Math.exp(1).toFixed(2)} and 10,000 one of ${Math.exp(10).toFixed(0)}, so long sequences end up outside any bounds; geometric does not grow with length`,
      severity: "warning",
      code: "product-ratio",
      setting: "rollout_is_level",
    });
  }
  if (veto) {
    traps.push({
      says: `the veto is two-sided and applies in every mode: one token with a ratio outside [${pythonFloat(veto.lower)}, ${pythonFloat(veto.upper)}] masks its whole sequence`,
    });
  }
  traps.push({
    says: "logged figures are unweighted means over packs, except minima and maxima (merge_rollout_is_metrics); all are 0 when no pack has a valid token",
  });
  return traps;
}

function switchedOff(settings: Settings): Trap[] {
  const named = ["rollout_is_veto_threshold", "rollout_is_mask_threshold"].filter((name) => settings[name]);
  return [
    {
      says: "rollout_is_threshold is None, xtuner's default: no weights and no mask, only mismatch metrics are logged",
      setting: "rollout_is_threshold",
    },
    ...named.map(
      (name): Trap => ({
        says: `${name} is set but has no effect while rollout_is_threshold is None`,
        severity: "drop",
        code: "not-switched-on",
      }),
    ),
  ];
}

function pair({ lower, upper }: Required<Bounds>): string {
  return `(${pythonFloat(upper)}, ${pythonFloat(lower)})`;
}
