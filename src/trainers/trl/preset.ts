import { UsageError } from "../../core/base/index.ts";
import type { Correction, Reject, Step, Truncate } from "../neutral/correction.ts";
import { pythonLiteral } from "../shared/literals.ts";
import type { Parameter, Preset, Settings, Trap } from "../shared/preset.ts";
import { makeBounds, readNumber } from "../shared/read-setting.ts";
import { firstExpressing, plainForm } from "../shared/same-effect.ts";
import { trlMetrics } from "./correction-metrics.ts";

const MODES = ["token_truncate", "token_mask", "sequence_truncate", "sequence_mask"];

const parameters: readonly Parameter[] = [
  {
    name: "vllm_importance_sampling_correction",
    kind: "boolean",
    fallback: true,
    meaning: "multiply the loss by exp(trainer − rollout)",
  },
  {
    name: "vllm_importance_sampling_mode",
    kind: "text",
    fallback: "sequence_mask",
    choices: MODES,
    meaning: "ratio per token or product over the sequence; truncate clamps, mask zeroes the weight",
  },
  {
    name: "vllm_importance_sampling_clip_max",
    kind: "number",
    fallback: 3,
    meaning: "upper bound of the ratio; None for no upper bound",
  },
  {
    name: "vllm_importance_sampling_clip_min",
    kind: "number",
    fallback: null,
    meaning: "lower bound of the ratio; None for no lower bound",
  },
  {
    name: "off_policy_mask_threshold",
    kind: "number",
    fallback: null,
    meaning:
      "OPSM: drop a sequence with negative advantage whose mean rollout − trainer exceeds this, nats; None for off",
  },
];

/** TRL's GRPO trainer with vLLM: four modes of importance weights, and off-policy sequence masking (OPSM). */
export const trl: Preset = {
  name: "trl",
  trainer: "TRL",
  summary:
    "GRPOTrainer with vLLM: token or sequence weights, truncated or zeroed, and off-policy sequence masking",
  source: "huggingface/trl trl/trainer/grpo_trainer.py, f2cd5771",
  parameters,

  correction(settings: Settings): Correction {
    const lower = readNumber(settings, "vllm_importance_sampling_clip_min");
    const upper = readNumber(settings, "vllm_importance_sampling_clip_max");
    const mode = String(settings.vllm_importance_sampling_mode);
    const on = settings.vllm_importance_sampling_correction === true;
    if (lower !== undefined && upper !== undefined && lower >= upper) {
      throw new UsageError(
        `TRL refuses these bounds: "vllm_importance_sampling_clip_min (${lower}) must be less than vllm_importance_sampling_clip_max (${upper})."`,
      );
    }
    const truncate = mode.endsWith("_truncate");
    const free = lower === undefined && upper === undefined;
    if (on && truncate && free) {
      throw new UsageError(
        'TRL refuses no bounds: "At least one of `vllm_importance_sampling_clip_min` or `vllm_importance_sampling_clip_max` must be set when `vllm_importance_sampling_mode` is a `*_truncate` mode."',
      );
    }
    const steps: Step[] = [];
    if (on && !free) {
      const bounds = makeBounds(lower, upper);
      const cut: Truncate = { action: "truncate", ...bounds };
      const zero: Reject = { action: "zero", measure: "weight", ...bounds, nan: "kept" };
      steps.push(truncate ? cut : zero);
    }
    const threshold = readNumber(settings, "off_policy_mask_threshold");
    if (threshold !== undefined) steps.push(sequenceMask(threshold));
    return {
      ...(on && {
        weight: {
          level: mode.startsWith("token") ? ("token" as const) : ("sequence" as const),
          aggregation: "sum",
        },
      }),
      steps,
    };
  },

  traps(settings: Settings): readonly Trap[] {
    const on = settings.vllm_importance_sampling_correction === true;
    const mode = String(settings.vllm_importance_sampling_mode);
    const lower = readNumber(settings, "vllm_importance_sampling_clip_min");
    const upper = readNumber(settings, "vllm_importance_sampling_clip_max");
    const traps: Trap[] = [];
    if (!on)
      traps.push({
        says: "vllm_importance_sampling_correction=False: the mode and both clips are ignored",
        severity: "drop",
        code: "not-switched-on",
      });
    if (on && mode.endsWith("_mask")) {
      traps.push({
        says: `${mode} sets the weight to 0 and leaves the mask: what is rejected still counts in the loss's denominator`,
      });
    }
    if (on && mode.startsWith("sequence")) {
      traps.push({
        says: mode.endsWith("_mask")
          ? "the ratio is a product over the sequence, so its log grows with length: long sequences leave the bounds and are lost, however close each token is"
          : "the ratio is a product over the sequence: long sequences end at a bound or near 0, however close each token is",
        severity: "warning",
        code: "product-ratio",
        setting: "vllm_importance_sampling_mode",
      });
      traps.push({
        says: "the product is not clamped in log space: a long sequence can overflow or underflow in float32",
      });
    }
    if (on && lower === undefined) {
      traps.push({
        says: "vllm_importance_sampling_clip_min=None: ratios near 0 stay as they are, and mask modes keep sequences whose product has collapsed",
        setting: "vllm_importance_sampling_clip_min",
      });
    }
    if (on && upper === undefined && mode.endsWith("_mask") && lower === undefined) {
      traps.push({
        says: "both clips are None: nothing is masked, raw ratios multiply the loss",
        severity: "warning",
        code: "no-bounds",
        setting: ["vllm_importance_sampling_clip_max", "vllm_importance_sampling_clip_min"],
      });
    }
    if (on) {
      traps.push({
        says: "sampling/importance_sampling_ratio/* is logged after the clip or mask: its max never exceeds clip_max, its min is 0 once anything is masked",
      });
    }
    if (settings.off_policy_mask_threshold !== null) {
      traps.push({
        says: "off_policy_mask_threshold compares the rollout with the policy being updated, so it drops more in later updates of a batch than a record of the first shows",
        setting: "off_policy_mask_threshold",
      });
    }
    return traps;
  },

  metrics: (settings) => trlMetrics(trl, settings),

  express(correction) {
    const { weight, steps } = plainForm(correction);
    const opsm = steps.find((step) => step.action === "zero" && step.when === "negative");
    const bounds = steps.find(
      (step): step is Truncate | Reject =>
        step !== opsm && (step.action === "truncate" || step.action === "zero"),
    );
    return firstExpressing(trl, correction, [
      {
        vllm_importance_sampling_correction: weight !== undefined,
        vllm_importance_sampling_mode: `${weight?.level ?? "token"}_${bounds?.action === "truncate" ? "truncate" : "mask"}`,
        vllm_importance_sampling_clip_max: bounds?.upper ?? null,
        vllm_importance_sampling_clip_min: bounds?.lower ?? null,
        off_policy_mask_threshold: opsm && "upper" in opsm ? (opsm.upper ?? null) : null,
      },
    ]);
  },

  config(settings) {
    const lines = parameters.map(({ name }) => `    ${name}=${pythonLiteral(settings[name] ?? null)},\n`);
    return {
      language: "python",
      place: "arguments of trl.GRPOConfig",
      text: `GRPOConfig(\n    use_vllm=True,\n${lines.join("")})\n`,
    };
  },
};

/** Keep if A ≥ 0 or mean(rollout − trainer) ≤ δ (DeepSeek-V3.2; grpo_trainer.py get_off_policy_mask). */
function sequenceMask(threshold: number): Reject {
  return {
    action: "zero",
    measure: { statistic: "k1", level: "sequence", aggregation: "mean" },
    upper: threshold,
    when: "negative",
  };
}
