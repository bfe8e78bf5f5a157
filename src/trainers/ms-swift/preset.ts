import { UsageError } from "../../core/base/index.ts";
import type { Correction, Measure, Reject, Step, Weight } from "../neutral/correction.ts";
import type { Parameter, Preset, Settings, Trap } from "../shared/preset.ts";
import { readNumber, requiredNumber } from "../shared/read-setting.ts";
import { firstExpressing, plainForm } from "../shared/same-effect.ts";
import { msSwiftMetrics } from "./correction-metrics.ts";

const MODES = ["token_truncate", "token_mask", "sequence_truncate", "sequence_mask"] as const;
type Mode = (typeof MODES)[number];

/** Each Δ is clamped to this many nats, before any mean (grpo_trainer.py SAFETY_BOUND). */
const SAFETY_BOUND = 20;
const TOKEN: Weight = { level: "token", aggregation: "sum", deltaBound: SAFETY_BOUND };
const GEOMETRIC: Weight = { level: "sequence", aggregation: "mean", deltaBound: SAFETY_BOUND };
const GEOMETRIC_RATIO: Measure = { statistic: "ratio", ...GEOMETRIC };
const MEAN_K1: Measure = { statistic: "k1", level: "sequence", aggregation: "mean" };

const parameters: readonly Parameter[] = [
  {
    name: "rollout_importance_sampling_mode",
    kind: "text",
    fallback: "token_truncate",
    choices: MODES,
    meaning: "sequence is the geometric mean; None, ms-swift's default, for no weights",
  },
  {
    name: "rollout_importance_sampling_threshold",
    kind: "number",
    fallback: 2,
    meaning: "upper bound of the ratio; there is no lower one",
  },
  {
    name: "off_policy_sequence_mask_delta",
    kind: "number",
    fallback: null,
    meaning:
      "OPSM: mask a sequence with negative advantage whose mean rollout − trainer exceeds this, nats; None for off",
  },
  {
    name: "log_rollout_offpolicy_metrics",
    kind: "boolean",
    fallback: false,
    meaning: "log the mismatch metrics when the mode is None; with a mode they are always logged",
  },
];

/** ms-swift's GRPO trainer: four modes of importance weights, upper bound only, and off-policy sequence masking. */
export const msSwift: Preset = {
  name: "ms-swift",
  trainer: "ms-swift",
  summary:
    "token or geometric sequence weights, truncated or zeroed from above, and off-policy sequence masking",
  source: "modelscope/ms-swift swift/rlhf_trainers/grpo_trainer.py, 3602360a",
  parameters,

  correction(settings: Settings): Correction {
    const mode = findMode(settings);
    const delta = readNumber(settings, "off_policy_sequence_mask_delta");
    const opsm: readonly Reject[] =
      delta === undefined
        ? []
        : [{ action: "mask", measure: MEAN_K1, upper: delta, when: "negative", nan: "kept" }];
    if (!mode) return { steps: opsm };
    const upper = requiredNumber("ms-swift", settings, "rollout_importance_sampling_threshold");
    if (!(upper > 0)) {
      throw new UsageError(
        `ms-swift: rollout_importance_sampling_threshold ${upper} leaves no weight: ratios are positive, and it keeps or clamps to ratio <= threshold`,
      );
    }
    return {
      weight: mode === "sequence_truncate" ? GEOMETRIC : TOKEN,
      steps: [buildStep(mode, upper), ...opsm],
    };
  },

  traps: (settings) => msSwiftTraps(settings),

  metrics: (settings) => msSwiftMetrics(settings),

  express(correction) {
    const guarded = withGuards(correction);
    const { weight, steps } = plainForm(guarded);
    const opsm = steps.find((step): step is Reject => step.action === "mask");
    const own = steps.find((step) => step !== opsm && step.action !== "normalize");
    const upper = own && "upper" in own ? own.upper : undefined;
    const delta = { off_policy_sequence_mask_delta: opsm?.upper ?? null };
    if (!weight && !own) {
      return firstExpressing(msSwift, guarded, [{ rollout_importance_sampling_mode: null, ...delta }]);
    }
    if (upper === undefined) return undefined;
    const candidate = (mode: Mode): Settings => ({
      rollout_importance_sampling_mode: mode,
      rollout_importance_sampling_threshold: upper,
      ...delta,
    });
    return firstExpressing(msSwift, guarded, MODES.map(candidate));
  },

  config(settings) {
    const mode = settings.rollout_importance_sampling_mode ?? null;
    const flags = [
      ...(mode === null ? [] : ["rollout_importance_sampling_mode", "rollout_importance_sampling_threshold"]),
      ...(settings.off_policy_sequence_mask_delta === null ? [] : ["off_policy_sequence_mask_delta"]),
      ...(mode === null ? ["log_rollout_offpolicy_metrics"] : []),
    ];
    return {
      language: "flags",
      place: "swift rlhf --rlhf_type grpo",
      text: flags.map((name) => `--${name} ${String(settings[name])}`).join(" \\\n"),
    };
  },
};

function findMode(settings: Settings): Mode | undefined {
  return MODES.find((mode) => mode === settings.rollout_importance_sampling_mode);
}

function buildStep(mode: Mode, upper: number): Step {
  switch (mode) {
    case "token_truncate":
    case "sequence_truncate":
      return { action: "truncate", upper };
    case "token_mask":
      return { action: "zero", measure: "weight", upper };
    case "sequence_mask":
      return { action: "zero", measure: GEOMETRIC_RATIO, upper };
  }
}

/** Other trainers clamp Δ, its mean, or nothing: no difference below 20 nats. */
function withGuards(correction: Correction): Correction {
  const guarded = (bound: number | undefined): boolean => bound === undefined || bound >= SAFETY_BOUND;
  const { weight } = correction;
  const steps = correction.steps.map((step): Step => {
    if ((step.action !== "zero" && step.action !== "mask") || step.measure === "weight") return step;
    const { statistic, deltaBound } = step.measure;
    if (statistic !== "ratio" || !guarded(deltaBound)) return step;
    return { ...step, measure: { ...step.measure, deltaBound: SAFETY_BOUND } };
  });
  if (!weight || !guarded(weight.deltaBound) || !guarded(weight.logBound)) return { ...correction, steps };
  const { logBound: _, ...bare } = weight;
  return { weight: { ...bare, deltaBound: SAFETY_BOUND }, steps };
}

function msSwiftTraps(settings: Settings): readonly Trap[] {
  const mode = findMode(settings);
  const traps: Trap[] = [];
  if (mode) {
    traps.push({
      says: "rollout_importance_sampling_mode is None by default: nothing is corrected until it is set",
      setting: "rollout_importance_sampling_mode",
    });
    traps.push({
      says: "it is silently off when the rollout's vLLM is older than 0.10.2, or any rank has a batch without rollout log-probs",
    });
    traps.push({
      says: "there is only an upper bound: ratios near 0 are neither clamped nor dropped; 1/threshold appears in the ess metric alone",
    });
    traps.push({
      says: "rollout_correction/ess clamps weights to [1/threshold, threshold], so weights of 0 count as 1/threshold",
    });
  } else if (settings.log_rollout_offpolicy_metrics !== true) {
    traps.push({
      says: "mode None and log_rollout_offpolicy_metrics false: no mismatch metric is logged at all",
      setting: "log_rollout_offpolicy_metrics",
    });
  }
  if (mode?.startsWith("sequence")) {
    traps.push({
      says: "sequence means the geometric mean of token ratios, not their product as in verl and TRL: thresholds do not carry over (2.0 is a mean Δ of 0.69 nats on every token)",
      severity: "warning",
      code: "geometric",
      setting: "rollout_importance_sampling_mode",
    });
  }
  if (mode === "sequence_mask") {
    traps.push({
      says: "sequence_mask only decides by the geometric mean; kept tokens are weighted by their own raw ratio, unbounded",
      severity: "warning",
      code: "raw-weights",
      setting: "rollout_importance_sampling_mode",
    });
  }
  if (mode?.endsWith("mask")) {
    traps.push({
      says: `${mode} sets the weight to 0 and leaves the mask: what is rejected still counts in the loss's denominator`,
    });
  }
  traps.push({ says: "rollout_correction/chi2_seq is of the geometric mean, not of the product as in verl" });
  if (settings.off_policy_sequence_mask_delta !== null) {
    traps.push({
      says: "off_policy_sequence_mask_delta compares the rollout with the policy being updated, so it drops more in later updates of a batch than a record of the first shows",
      setting: "off_policy_sequence_mask_delta",
    });
    traps.push({
      says: "OPSM takes sequences out of the mask itself: they do not count in the loss's denominator",
    });
  }
  return traps;
}
