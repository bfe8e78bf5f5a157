import { UsageError } from "../../core/base/index.ts";
import type { Correction, Measure, Reject, Step, Truncate } from "../neutral/correction.ts";
import { yamlLines } from "../shared/literals.ts";
import type { Parameter, Preset, Settings, Trap } from "../shared/preset.ts";
import { makeBounds, readNumber } from "../shared/read-setting.ts";
import { firstExpressing, plainForm } from "../shared/same-effect.ts";
import { nemoRlBounds, nemoRlMetrics } from "./correction-metrics.ts";

/** A larger weight is infinite in float32, and `nan_to_num(…, nan=0, posinf=0)` makes it 0. */
const FLOAT32_MAX = 3.4028234663852886e38;
const GEOMETRIC_MEAN: Measure = { statistic: "ratio", level: "sequence", aggregation: "mean" };
const PROBABILITY_ERROR: Measure = { statistic: "error_ratio", level: "sequence", aggregation: "mean" };
const TYPES = ["tis", "icepop", "seq-mask-tis"];
/** Short names of the settings. */
const TYPE = "truncated_importance_sampling_type";
const RATIO = "truncated_importance_sampling_ratio";
const RATIO_MIN = "truncated_importance_sampling_ratio_min";

const parameters: readonly Parameter[] = [
  {
    name: "use_importance_sampling_correction",
    kind: "boolean",
    fallback: true,
    meaning: "loss_fn: multiply the loss by exp(trainer − rollout)",
  },
  {
    name: TYPE,
    kind: "text",
    fallback: null,
    choices: TYPES,
    meaning:
      "loss_fn: clamp; zero outside; zero sequences whose geometric mean is outside; null for raw ratios",
  },
  { name: RATIO, kind: "number", fallback: null, meaning: "loss_fn: upper bound; required with a type" },
  {
    name: RATIO_MIN,
    kind: "number",
    fallback: null,
    meaning: "loss_fn: lower bound; null is 0 for tis, refused by the others",
  },
  {
    name: "sequence_level_importance_ratios",
    kind: "boolean",
    fallback: false,
    meaning: "loss_fn: one ratio per sequence, the product; needs token_level_loss false",
  },
  {
    name: "token_level_loss",
    kind: "boolean",
    fallback: true,
    meaning: "loss_fn: mean over tokens, not sequences",
  },
  {
    name: "reference_policy_kl_type",
    kind: "text",
    fallback: "k3",
    choices: ["k1", "k2", "k3"],
    meaning: "loss_fn: also the estimator of gen_kl_error and policy_kl_error",
  },
  {
    name: "seq_logprob_error_threshold",
    kind: "number",
    fallback: null,
    meaning: "grpo: mask sequences whose mean exp|Δ| exceeds this (at least 1); null for off",
  },
];

/** NeMo-RL: token or sequence ratios, truncated three ways, and a filter by multiplicative probability error. */
export const nemoRl: Preset = {
  name: "nemo-rl",
  trainer: "NeMo-RL",
  summary:
    "ClippedPGLossFn: importance-sampling correction with tis, icepop or seq-mask-tis; sequence error filter",
  source: "NVIDIA-NeMo/RL nemo_rl/algorithms/loss/loss_functions.py and grpo.py, 7ea279ab",
  parameters,

  correction(settings: Settings): Correction {
    refuse(settings);
    const steps: Step[] = [];
    const threshold = readNumber(settings, "seq_logprob_error_threshold");
    if (threshold !== undefined) steps.push({ action: "mask", measure: PROBABILITY_ERROR, upper: threshold });
    if (settings.use_importance_sampling_correction !== true) return { steps };
    const level = settings.sequence_level_importance_ratios === true ? "sequence" : "token";
    return { weight: { level, aggregation: "sum" }, steps: [...steps, ...truncations(settings)] };
  },

  traps: findTraps,
  metrics: (settings) => nemoRlMetrics(nemoRl, settings),

  express(correction) {
    const { weight, steps } = plainForm(correction);
    const filter = steps.find((step): step is Reject => step.action === "mask");
    const rest = steps.find(
      (step): step is Truncate | Reject => step.action === "truncate" || step.action === "zero",
    );
    const common: Settings = {
      use_importance_sampling_correction: weight !== undefined,
      seq_logprob_error_threshold: filter?.upper ?? null,
      sequence_level_importance_ratios: weight?.level === "sequence",
      token_level_loss: weight?.level !== "sequence",
    };
    if (!rest) return firstExpressing(nemoRl, correction, [common]);
    const upper = rest.upper ?? Number.POSITIVE_INFINITY;
    return firstExpressing(
      nemoRl,
      correction,
      TYPES.map((type) => ({
        ...common,
        [TYPE]: type,
        [RATIO]: upper,
        [RATIO_MIN]: rest.lower ?? (type === "tis" ? null : 0),
      })),
    );
  },

  config(settings) {
    const loss = parameters.map(({ name }) => name).filter((name) => name !== "seq_logprob_error_threshold");
    return {
      language: "yaml",
      place: "GRPO config",
      text: `grpo:\n${yamlLines(settings, ["seq_logprob_error_threshold"], "  ")}loss_fn:\n${yamlLines(settings, loss, "  ")}`,
    };
  },
};

function truncations(settings: Settings): Step[] {
  const bounds = makeBounds(readNumber(settings, RATIO_MIN), readNumber(settings, RATIO));
  const finite: Reject = { action: "zero", measure: "weight", upper: FLOAT32_MAX };
  const type = settings[TYPE];
  if (type === "tis") return [finite, { action: "truncate", ...nemoRlBounds(settings) }];
  if (type === "icepop") return [{ action: "zero", measure: "weight", ...bounds }];
  if (type === "seq-mask-tis") return [finite, { action: "zero", measure: GEOMETRIC_MEAN, ...bounds }];
  return [finite];
}

/** The assertions of ClippedPGLossFn, in order and with their messages. */
function refuse(settings: Settings): void {
  const type = settings[TYPE] ?? null;
  const ratio = readNumber(settings, RATIO);
  const least = readNumber(settings, RATIO_MIN);
  const sequences = settings.sequence_level_importance_ratios === true;
  if (sequences && settings.token_level_loss === true) {
    throw refusal(
      "sequence-level importance sampling (e.g. GSPO) is mutually exclusive with token-level loss",
      "set token_level_loss to false",
    );
  }
  if (type === null) {
    if (ratio === undefined) return;
    throw refusal(
      "Invalid truncated importance sampling type: None",
      `${RATIO} is ${ratio}: also set ${TYPE}`,
    );
  }
  if (settings.use_importance_sampling_correction !== true) {
    throw refusal(
      "truncated importance sampling is only supported when use_importance_sampling_correction is True",
    );
  }
  if (ratio === undefined || !(ratio > 0)) {
    throw refusal("truncated_importance_sampling_ratio should be positive", `it is ${ratio ?? "null"}`);
  }
  if (least !== undefined && !(least <= ratio)) {
    throw refusal(
      "truncated_importance_sampling_ratio_min must be <= truncated_importance_sampling_ratio",
      `they are ${least} and ${ratio}`,
    );
  }
  if (type !== "tis" && least === undefined) {
    throw refusal(
      "truncated_importance_sampling_ratio_min should be set when truncated_importance_sampling_type is 'icepop' or 'seq-mask-tis'",
    );
  }
  if (type === "seq-mask-tis" && sequences) {
    throw refusal(
      "seq-mask-tis uses token-level IS correction with sequence-level masking, and is incompatible with sequence_level_importance_ratios=True",
    );
  }
}

function refusal(words: string, hint?: string): UsageError {
  return new UsageError(`NeMo-RL refuses these settings: "${words}"`, hint === undefined ? {} : { hint });
}

function findTraps(settings: Settings): readonly Trap[] {
  return [
    ...ofWeights(settings),
    ...ofSequenceRatios(settings),
    ...ofErrorFilter(settings),
    { says: "token_mult_prob_error is the mean of exp|Δ|: never below 1, and dominated by its tail" },
  ];
}

function ofWeights(settings: Settings): Trap[] {
  const traps: Trap[] = [];
  const type = settings[TYPE];
  const { lower, upper } = nemoRlBounds(settings);
  const on = settings.use_importance_sampling_correction === true;
  if (!on)
    traps.push({
      says: "use_importance_sampling_correction false: sampling_importance_ratio is logged all the same, and corrects nothing",
      setting: "use_importance_sampling_correction",
    });
  if (on && (type === null || type === undefined)) {
    traps.push({
      says: "no truncated_importance_sampling_type: raw ratios multiply the loss, unbounded",
      severity: "warning",
      code: "raw-weights",
      setting: TYPE,
    });
  }
  if (on)
    traps.push({
      says: "NaN and infinite ratios become weight 0 (nan_to_num), not the upper bound",
      code: "nan",
    });
  if (type === "tis" && settings[RATIO_MIN] !== null && lower > 0) {
    traps.push({
      says: `tis clamps both sides: ratios under ${lower}, and those that were not finite, are raised to ${lower}`,
    });
  }
  if (type === "icepop")
    traps.push({ says: "icepop zeroes the weight: the token still counts in the denominator" });
  if (type === "seq-mask-tis") {
    traps.push({
      says: "seq-mask-tis keeps raw, untruncated token ratios in the sequences that it keeps",
      severity: "warning",
      code: "raw-weights",
      setting: TYPE,
    });
    traps.push({
      says: "for its geometric mean a difference that is not finite counts as 0, so NeMo-RL may keep such a sequence; logratio rejects it",
    });
    if (lower < 0.9 || upper > 1.1) {
      traps.push({
        says: `geometric means lie near 1, so ${lower} to ${upper} rejects next to nothing; its recipes have 0.999 to 1.002`,
      });
    }
  }
  return traps;
}

function ofSequenceRatios(settings: Settings): Trap[] {
  if (settings.sequence_level_importance_ratios !== true) return [];
  const traps: Trap[] = [];
  if (settings.use_importance_sampling_correction === true) {
    traps.push({
      says: "the sequence ratio is a product and grows with length: long sequences end at a bound, at 0, or not finite and so at 0",
    });
  }
  traps.push({
    says: "train/sampling_importance_ratio multiplies weights of shape [B, 1] by a mask of shape [B]: with B sequences to a micro-batch the logged value is B times the mean",
  });
  return traps;
}

function ofErrorFilter(settings: Settings): Trap[] {
  const threshold = readNumber(settings, "seq_logprob_error_threshold");
  if (threshold === undefined) return [];
  const traps: Trap[] = [
    {
      says: "seq_logprob_error_threshold bounds the mean of exp|Δ|, at least 1 and dominated by the worst token: one token with |Δ| = 8 adds 3.0 to a sequence of 1,000",
      setting: "seq_logprob_error_threshold",
    },
  ];
  if (threshold < 1)
    traps.push({
      says: `${threshold} is below 1, the least that the error can be: every sequence is masked`,
    });
  return traps;
}
