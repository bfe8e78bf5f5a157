import { UsageError } from "../../core/base/index.ts";
import type { Correction, Measure, Reject, Step, Weight } from "../neutral/correction.ts";
import { yamlLines } from "../shared/literals.ts";
import type { Parameter, Preset, Settings, Trap } from "../shared/preset.ts";
import { boundsOfClamped, makeBounds, readNumber } from "../shared/read-setting.ts";
import { firstExpressing, plainForm } from "../shared/same-effect.ts";
import { slimeMisMetrics, type WeightBounds } from "./mis-metrics.ts";

/** mis.py clamps every log-ratio, at any level, to ± this many nats before exp. */
const SAFETY_BOUND = 20;
const LEVELS = ["token", "sequence", "geometric"];

const parameters: readonly Parameter[] = [
  {
    name: "use_tis",
    kind: "boolean",
    fallback: true,
    meaning: "importance weights; off also switches rejection off",
  },
  { name: "use_rs", kind: "boolean", fallback: true, meaning: "rejection by ratio and veto" },
  {
    name: "tis_level",
    kind: "text",
    fallback: "token",
    choices: LEVELS,
    meaning: "ratio of a token, product over the sequence, or geometric mean",
  },
  {
    name: "rs_level",
    kind: "text",
    fallback: "token",
    choices: LEVELS,
    meaning: "level of the ratio that rejects",
  },
  {
    name: "tis_mode",
    kind: "text",
    fallback: "truncate",
    choices: ["truncate", "clip", "mask"],
    meaning: "cap at the upper bound; clamp to both; keep the weight and mask what is outside",
  },
  {
    name: "tis_lower_bound",
    kind: "number",
    fallback: 0.5,
    meaning: "for clip and mask; null for 1 / upper",
  },
  { name: "tis_upper_bound", kind: "number", fallback: 2, meaning: "for every mode" },
  { name: "rs_lower_bound", kind: "number", fallback: null, meaning: "null for the weight's lower bound" },
  { name: "rs_upper_bound", kind: "number", fallback: null, meaning: "null for the weight's upper bound" },
  {
    name: "rs_veto_threshold",
    kind: "number",
    fallback: 1e-4,
    meaning: "a token with a smaller ratio masks its sequence; null for off",
  },
  {
    name: "tis_batch_normalize",
    kind: "boolean",
    fallback: true,
    meaning: "divide weights by their mean over the batch",
  },
];

/** slime's example mis.py (miles ships the same function): weights, rejection, veto and batch normalization. */
export const slimeMis: Preset = {
  name: "slime-mis",
  trainer: "slime",
  summary:
    "mis.py as custom TIS function: truncate, clip or mask per token, sequence or geometric mean; rejection, veto",
  source: "THUDM/slime examples/train_infer_mismatch_helper/mis.py, 624b824a",
  parameters,
  correction: buildCorrection,
  traps: findTraps,
  metrics: (settings) => slimeMisMetrics(settings, boundsOfWeights(settings)),

  express: (correction) => firstExpressing(slimeMis, correction, candidatesFor(correction)),

  config(settings) {
    const names = parameters.map(({ name }) => name);
    return {
      language: "yaml",
      place:
        "the file of --custom-config-path, beside --custom-tis-function-path examples.train_infer_mismatch_helper.mis.compute_mis_weights_with_cp",
      text: yamlLines(settings, names, ""),
    };
  },
};

/** A null lower bound is 1 / upper. */
function boundsOfWeights(settings: Settings): WeightBounds {
  const upper = readNumber(settings, "tis_upper_bound");
  if (upper === undefined) {
    throw new UsageError('mis.py refuses tis_upper_bound null: "assert upper_bound is not None"');
  }
  return { lower: readNumber(settings, "tis_lower_bound") ?? 1 / upper, upper };
}

function buildCorrection(settings: Settings): Correction {
  if (settings.use_tis !== true) return { steps: [] };
  const weights = boundsOfWeights(settings);
  const level = readLevel(settings.tis_level);
  const steps: Step[] = [];
  if (settings.tis_mode === "truncate") steps.push({ action: "truncate", lower: 0, upper: weights.upper });
  else {
    checkOrder("tis", weights);
    if (settings.tis_mode === "clip") steps.push({ action: "truncate", ...weights });
    else steps.push({ action: "mask", measure: "weight", ...weights });
  }
  if (settings.use_rs === true) steps.push(...rejections(settings, weights));
  if (settings.tis_batch_normalize === true) {
    if (settings.tis_level === "geometric") {
      throw new UsageError(
        'mis.py refuses batch normalization at this level: "Unsupported tis_level: geometric"',
        {
          hint: "set tis_batch_normalize to false",
        },
      );
    }
    steps.push({ action: "normalize", over: level.level === "token" ? "token" : "every sequence" });
  }
  return { weight: { ...level, logBound: SAFETY_BOUND }, steps };
}

function rejections(settings: Settings, weights: WeightBounds): Step[] {
  const steps: Step[] = [];
  const lower = readNumber(settings, "rs_lower_bound") ?? weights.lower;
  const upper = readNumber(settings, "rs_upper_bound") ?? weights.upper;
  checkOrder("rs", { lower, upper });
  const bounds = boundsOfClamped(lower, upper, SAFETY_BOUND);
  const measure: Measure = { statistic: "ratio", ...readLevel(settings.rs_level) };
  if (bounds) steps.push({ action: "mask", measure, ...bounds });
  const veto = readNumber(settings, "rs_veto_threshold");
  const token = { statistic: "ratio", level: "token", aggregation: "sum" } as const;
  if (veto !== undefined) steps.push({ action: "veto", measure: token, lower: veto });
  return steps;
}

function readLevel(name: unknown): Pick<Weight, "level" | "aggregation"> {
  if (name === "token") return { level: "token", aggregation: "sum" };
  return { level: "sequence", aggregation: name === "geometric" ? "mean" : "sum" };
}

function checkOrder(name: "tis" | "rs", { lower, upper }: WeightBounds): void {
  if (lower < upper) return;
  throw new UsageError(
    `mis.py refuses ${name}_lower_bound ${lower} with ${name}_upper_bound ${upper}: "assert lower_bound is not None and upper_bound is not None and lower_bound < upper_bound"`,
  );
}

function findTraps(settings: Settings): readonly Trap[] {
  if (settings.use_tis !== true) {
    return [
      {
        says: "use_tis false: rejection and veto do nothing either, only mismatch metrics are logged",
        setting: "use_tis",
      },
    ];
  }
  const bounds = boundsOfWeights(settings);
  return [
    ...ofWeights(settings, bounds),
    ...ofRejection(settings, bounds),
    ...ofLength(settings),
    ...ofNormalization(settings),
  ];
}

function ofWeights(settings: Settings, { lower }: WeightBounds): Trap[] {
  const traps: Trap[] = [];
  if (settings.tis_lower_bound === null)
    traps.push({
      says: `tis_lower_bound null means 1 / tis_upper_bound: ${lower}`,
      severity: "warning",
      code: "reciprocal-bound",
      setting: "tis_lower_bound",
    });
  if (settings.tis_mode === "truncate" && !(settings.use_rs === true && settings.rs_lower_bound === null)) {
    traps.push({
      says: "tis_lower_bound does nothing in truncate mode: weights are clamped to [0, upper]",
      code: "no-effect",
      setting: "tis_lower_bound",
    });
  }
  if (settings.tis_mode === "mask") {
    traps.push({
      says: "mask mode keeps weights as they are and takes tokens out of the mask; rejected weights still enter batch normalization",
    });
  }
  return traps;
}

function ofRejection(settings: Settings, { lower, upper }: WeightBounds): Trap[] {
  const { rs_lower_bound, rs_upper_bound, rs_level, rs_veto_threshold, tis_level } = settings;
  if (settings.use_rs !== true) {
    return rs_veto_threshold === null
      ? []
      : [
          {
            says: "rs_veto_threshold does nothing without use_rs",
            severity: "drop",
            code: "not-switched-on",
          },
        ];
  }
  const traps: Trap[] = [];
  if (rs_lower_bound === null || rs_upper_bound === null) {
    traps.push({
      says: `rs bounds that are null are the weight's: ${rs_lower_bound ?? lower} to ${rs_upper_bound ?? upper}${
        rs_level === tis_level ? ", so what would be truncated is rejected instead" : ""
      }`,
    });
    if (rs_level !== tis_level) {
      traps.push({
        says: `bounds of the ${tis_level} ratio are used for the ${rs_level} ratio, which has another scale: geometric means lie near 1, products far from it`,
      });
    }
  }
  traps.push({
    says: "rejected tokens leave the numerator only: slime divides by the token count before rejection (rollout_mask_sums)",
  });
  if (rs_veto_threshold !== null) {
    traps.push({
      says: "rs_veto_threshold looks at small ratios only; a token with a huge one vetoes nothing",
      code: "half-open",
      setting: "rs_veto_threshold",
    });
  }
  return traps;
}

function ofLength(settings: Settings): Trap[] {
  const weights = settings.tis_level === "sequence";
  if (!weights && !(settings.use_rs === true && settings.rs_level === "sequence")) return [];
  return [
    {
      says: "a product over the sequence grows with length: long sequences leave the bounds, however close each token is",
      severity: "warning",
      code: "product-ratio",
      setting: weights ? "tis_level" : "rs_level",
    },
  ];
}

function ofNormalization(settings: Settings): Trap[] {
  if (settings.tis_batch_normalize !== true) return [];
  return [
    {
      says: "batch normalization divides by the mean over the micro-batch's original mask, so weights can exceed tis_upper_bound",
      setting: "tis_upper_bound",
    },
  ];
}

function candidatesFor(correction: Correction): Settings[] {
  const { weight, steps } = plainForm(correction);
  if (!weight) return [{ use_tis: false }];
  const cut = steps.find((step) => step.action === "truncate");
  const masks = steps.filter((step): step is Reject => step.action === "mask");
  const veto = steps.find((step) => step.action === "veto");
  const common = {
    tis_level: nameLevel(weight),
    tis_batch_normalize: steps.some(({ action }) => action === "normalize"),
    rs_veto_threshold: veto?.lower ?? null,
  };
  const unbounded = { rs_lower_bound: 1e-30, rs_upper_bound: 1e30 };
  const rejectBy = (mask: (typeof masks)[number] | undefined): Settings => {
    if (!mask) return veto ? { use_rs: true, ...unbounded } : { use_rs: false };
    if (mask.measure === "weight" || mask.measure.statistic !== "ratio") return { use_rs: false };
    return {
      use_rs: true,
      rs_level: nameLevel(mask.measure),
      rs_lower_bound: mask.lower ?? unbounded.rs_lower_bound,
      rs_upper_bound: mask.upper ?? unbounded.rs_upper_bound,
    };
  };
  if (cut) {
    const mode =
      cut.lower === undefined ? { tis_mode: "truncate" } : { tis_mode: "clip", tis_lower_bound: cut.lower };
    return [{ ...common, ...mode, tis_upper_bound: cut.upper ?? null, ...rejectBy(masks[0]) }];
  }
  return masks.map((mask) => ({
    ...common,
    tis_mode: "mask",
    ...boundsNamed(makeBounds(mask.lower ?? 1e-30, mask.upper)),
    ...rejectBy(masks.find((other) => other !== mask)),
  }));
}

function boundsNamed({ lower, upper }: { readonly lower?: number; readonly upper?: number }): Settings {
  return { tis_lower_bound: lower ?? null, tis_upper_bound: upper ?? 1e30 };
}

function nameLevel({ level, aggregation }: { readonly level: string; readonly aggregation: string }): string {
  if (level !== "sequence") return level;
  return aggregation === "mean" ? "geometric" : "sequence";
}
