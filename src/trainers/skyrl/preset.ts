import { UsageError } from "../../core/base/index.ts";
import type { Correction, Reject, Step, Veto, Weight } from "../neutral/correction.ts";
import { yamlLines } from "../shared/literals.ts";
import type { Parameter, Preset, Settings, Trap } from "../shared/preset.ts";
import { boundsOfClamped, makeBounds, readNumber } from "../shared/read-setting.ts";
import { firstExpressing, plainForm } from "../shared/same-effect.ts";
import { skyrlMetrics } from "./correction-metrics.ts";
import { LOSS_PARAMETERS, lossCandidates, lossSteps, lossTraps, lossYaml, rolloutLoss } from "./losses.ts";

/** Every log-ratio, of a token or aggregated, is clamped to ± this many nats before exp (`safe_exp_delta`). */
const LOG_CLAMP = 20;

const bound = (name: string, fallback: number | null, meaning: string): Parameter => ({
  name,
  kind: "number",
  fallback,
  meaning,
});

const CORRECTION_PARAMETERS: readonly Parameter[] = [
  {
    name: "tis_ratio_type",
    kind: "text",
    fallback: null,
    choices: ["token", "sequence"],
    meaning: "multiply the loss by the token's ratio or the product over the sequence, capped; null for off",
  },
  bound("token_tis_ratio_clip_high", 2, "cap of the token ratio"),
  bound("sequence_tis_ratio_clip_high", 5, "cap of the product"),
  {
    name: "sequence_mask_metric",
    kind: "text",
    fallback: null,
    choices: ["product", "geometric"],
    meaning: "mask sequences whose product or geometric mean is outside its bounds; null for off",
  },
  bound("geo_mask_high", 1.01, "upper bound of the geometric mean"),
  bound("geo_mask_low", 0.99, "lower bound of the geometric mean"),
  bound("product_mask_high", 2, "upper bound of the product"),
  bound("product_mask_low", 0.5, "lower bound of the product"),
  bound(
    "outlier_token_is_threshold_low",
    null,
    "a token with a smaller ratio masks its sequence; null for off",
  ),
  bound(
    "outlier_token_is_threshold_high",
    null,
    "a token with a larger ratio masks its sequence; null for off",
  ),
  bound("token_mask_is_threshold_low", null, "mask tokens with a smaller ratio; only with the high one"),
  bound("token_mask_is_threshold_high", null, "mask tokens with a larger ratio; only with the low one"),
];
const parameters: readonly Parameter[] = [...CORRECTION_PARAMETERS, ...LOSS_PARAMETERS];

/**
 * SkyRL's off-policy correction: outlier veto, token mask, capped weights, sequence mask, in that order; the weights may
 * be those of a policy loss instead.
 */
export const skyrl: Preset = {
  name: "skyrl",
  trainer: "SkyRL",
  summary:
    "off_policy_correction: capped token or sequence weights, outlier, token and sequence masks; losses rollout_is, dppo, cispo",
  source:
    "NovaSky-AI/SkyRL skyrl/backends/skyrl_train/utils/off_policy_correction_utils.py and ppo_utils.py, 0.4.0",
  parameters,

  correction(settings: Settings): Correction {
    const masks = [...outlierMask(settings), ...tokenMask(settings)];
    const over = masks.length > 0 ? ({ over: "kept" } as const) : {};
    refuseLoss(settings);
    const weight = findWeight(settings, over);
    return {
      ...(weight && { weight }),
      steps: [...masks, ...weightSteps(settings, weight), ...sequenceMask(settings, over)],
    };
  },

  traps: (settings) => [...findTraps(settings), ...lossTraps(settings)],
  metrics: (settings) => skyrlMetrics(settings),

  express(correction) {
    const { weight, steps } = plainForm(correction);
    const cut = steps.find(({ action }) => action === "truncate");
    const veto = steps.find((step): step is Veto => step.action === "veto");
    const tokens = steps.find((step): step is Reject => isMask(step, "token"));
    const sequence = steps.find((step): step is Reject => isMask(step, "sequence"));
    const cap = cut?.action === "truncate" ? (cut.upper ?? null) : null;
    const metric = sequence && sequence.measure !== "weight" && sequence.measure.aggregation === "mean";
    const prefix = metric ? "geo_mask" : "product_mask";
    const masks: Settings = {
      ...(veto && {
        outlier_token_is_threshold_low: veto.lower ?? null,
        outlier_token_is_threshold_high: veto.upper ?? null,
      }),
      ...(tokens && {
        token_mask_is_threshold_low: tokens.lower ?? 0,
        token_mask_is_threshold_high: tokens.upper ?? Number.POSITIVE_INFINITY,
      }),
      ...(sequence && {
        sequence_mask_metric: metric ? "geometric" : "product",
        [`${prefix}_low`]: sequence.lower ?? 0,
        [`${prefix}_high`]: sequence.upper ?? Number.POSITIVE_INFINITY,
      }),
    };
    return firstExpressing(skyrl, correction, [
      {
        tis_ratio_type: weight?.level ?? null,
        ...(weight && { [`${weight.level === "token" ? "token" : "sequence"}_tis_ratio_clip_high`]: cap }),
        ...masks,
      },
      ...lossCandidates(steps).map((loss) => ({ ...loss, ...masks })),
    ]);
  },

  config(settings) {
    const names = CORRECTION_PARAMETERS.map(({ name }) => name);
    return {
      language: "yaml",
      place: "trainer config",
      text: `trainer:\n  algorithm:\n${lossYaml(settings, "    ")}    off_policy_correction:\n${yamlLines(settings, names, "      ")}`,
    };
  },
};

/** Losses with which `validate_cfg` (skyrl/train/utils/utils.py) allows no weights and no sequence mask. */
function refuseLoss({
  policy_loss_type: loss,
  tis_ratio_type: type,
  sequence_mask_metric: metric,
}: Settings): void {
  if ((loss !== "clip_cov" && loss !== "kl_cov") || ((type ?? null) === null && (metric ?? null) === null))
    return;
  throw new UsageError(
    "SkyRL stops: `trainer.algorithm.off_policy_correction` doesn't support clip_cov or kl_cov policy loss types",
    { hint: "policy_loss_type: regular" },
  );
}

function findWeight(settings: Settings, over: { readonly over?: "kept" }): Weight | undefined {
  if (rolloutLoss(settings)) return { level: "token", aggregation: "sum", logBound: LOG_CLAMP };
  const type = settings.tis_ratio_type;
  if (type !== "token" && type !== "sequence") return undefined;
  return { level: type, aggregation: "sum", logBound: LOG_CLAMP, ...(type === "sequence" && over) };
}

function weightSteps(settings: Settings, weight: Weight | undefined): Step[] {
  const loss = rolloutLoss(settings);
  if (loss) return lossSteps(loss, settings);
  const cap = readNumber(settings, `${settings.tis_ratio_type}_tis_ratio_clip_high`);
  return weight && cap !== undefined ? [{ action: "truncate", upper: cap }] : [];
}

function outlierMask(settings: Settings): Step[] {
  const low = readNumber(settings, "outlier_token_is_threshold_low");
  const high = readNumber(settings, "outlier_token_is_threshold_high");
  const bounds = boundsOfClamped(low, high, LOG_CLAMP);
  return bounds ? [{ action: "veto", measure: tokenRatio, ...bounds }] : [];
}

/** The token mask, off unless both thresholds are set. */
function tokenMask(settings: Settings): Step[] {
  const low = readNumber(settings, "token_mask_is_threshold_low");
  const high = readNumber(settings, "token_mask_is_threshold_high");
  if (low === undefined || high === undefined) return [];
  return [{ action: "mask", measure: { ...tokenRatio, deltaBound: LOG_CLAMP }, ...makeBounds(low, high) }];
}

const tokenRatio = { statistic: "ratio", level: "token", aggregation: "sum" } as const;

/** Measured over the mask left by the outlier and token masks; NaN is kept: `~(x > high) & ~(x < low)`. */
function sequenceMask(settings: Settings, over: { readonly over?: "kept" }): Step[] {
  const metric = settings.sequence_mask_metric;
  if (metric !== "geometric" && metric !== "product") return [];
  const prefix = metric === "geometric" ? "geo_mask" : "product_mask";
  const low = readNumber(settings, `${prefix}_low`);
  const high = readNumber(settings, `${prefix}_high`);
  const bounds = boundsOfClamped(low, high, LOG_CLAMP);
  const aggregation = metric === "geometric" ? "mean" : "sum";
  const measure = { statistic: "ratio", level: "sequence", aggregation, ...over } as const;
  return bounds ? [{ action: "mask", measure, ...bounds, nan: "kept" }] : [];
}

function isMask(step: Step, level: "token" | "sequence"): boolean {
  return step.action === "mask" && step.measure !== "weight" && step.measure.level === level;
}

function findTraps(settings: Settings): readonly Trap[] {
  const traps: Trap[] = [];
  const low = settings.token_mask_is_threshold_low ?? null;
  const high = settings.token_mask_is_threshold_high ?? null;
  if ((low === null) !== (high === null)) {
    traps.push({
      says: `only token_mask_is_threshold_${low === null ? "high" : "low"} is set: the token mask is off unless both are`,
      severity: "drop",
      code: "not-switched-on",
    });
  }
  const outlier =
    (settings.outlier_token_is_threshold_low ?? null) !== null ||
    (settings.outlier_token_is_threshold_high ?? null) !== null;
  const masksTokens = low !== null && high !== null;
  const type = settings.tis_ratio_type ?? null;
  const metric = settings.sequence_mask_metric ?? null;
  if ((outlier || masksTokens) && type === null && metric === null) {
    traps.push({
      says: "SkyRL switches rollout log-probs on by itself only for tis_ratio_type and sequence_mask_metric: with these masks alone set generator.sampling_params.logprobs, or nothing is corrected",
      setting: ["sequence_mask_metric", "tis_ratio_type"],
    });
  }
  if (type !== null) traps.push({ says: "weights are capped from above only; there is no lower bound" });
  if (type === "sequence") {
    traps.push({
      says: "the sequence weight is a product and grows with length: long sequences end at the cap or near 0",
      severity: "warning",
      code: "product-ratio",
      setting: "tis_ratio_type",
    });
  }
  if (metric === "product") {
    traps.push({
      says: "the product leaves its bounds as sequences grow, however close each token is: long ones are rejected",
      severity: "warning",
      code: "product-ratio",
      setting: "sequence_mask_metric",
    });
  }
  if (masksTokens && (type === "sequence" || metric !== null)) {
    traps.push({
      says: "the token mask comes first: masked tokens are left out of the product or geometric mean that weights or rejects the sequence",
      severity: "warning",
      code: "product-ratio",
      setting: ["token_mask_is_threshold_low", "token_mask_is_threshold_high"],
    });
  }
  if (masksTokens || outlier || metric !== null) {
    traps.push({ says: "masked tokens also leave the denominator: the remaining ones weigh more" });
  }
  if (type !== null || metric !== null || outlier || masksTokens) {
    traps.push({
      says: "is_ratio_std, _max and _min are logged over ratio × mask with padding: the min is 0 and the std grows with padding; here they are over the policy's own tokens",
      code: "metric",
    });
  }
  return traps;
}
