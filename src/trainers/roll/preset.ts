import { UsageError } from "../../core/base/index.ts";
import type { Correction, Reject, Truncate, Weight } from "../neutral/correction.ts";
import { yamlLiteral } from "../shared/literals.ts";
import type { Parameter, Preset, Settings, Trap } from "../shared/preset.ts";
import { readNumber } from "../shared/read-setting.ts";
import { firstExpressing, plainForm } from "../shared/same-effect.ts";
import { rollMetrics } from "./correction-metrics.ts";
import {
  parseRollFilters,
  ROLL_AGG_TYPES,
  ROLL_LEVELS,
  type RollAggType,
  type RollFilter,
  rollAggType,
  rollFilterStep,
  rollFiltersText,
  toRollFilter,
} from "./filters.ts";

const parameters: readonly Parameter[] = [
  {
    name: "is_weight.enabled",
    kind: "boolean",
    fallback: true,
    meaning: "multiply the loss by the ratio; ROLL's own default is false",
  },
  {
    name: "is_weight.weight_type",
    kind: "text",
    fallback: "token",
    choices: ROLL_AGG_TYPES,
    meaning: "ratio per token, geometric mean per turn (segment) or sequence (geometric), product (sequence)",
  },
  {
    name: "is_weight.upper_bound",
    kind: "number",
    fallback: 1.2,
    meaning: "the weight is clamped to [0, this]; None for no clamp",
  },
  {
    name: "filters",
    kind: "text",
    fallback: "",
    meaning:
      "agg_type:ratio|diff:low:high separated by commas; masks what is outside; in ROLL a list of filter objects, one side each",
  },
];

/** ROLL's `train_infer_correction`: a clamped weight and a list of filters, the only one at turn level. */
export const roll: Preset = {
  name: "roll",
  trainer: "ROLL",
  summary:
    "clamped weight per token, turn, sequence; filters on ratio or probability difference at each level",
  source: "alibaba/ROLL roll/utils/train_infer_corrections.py, 8eb27cc2",
  parameters,

  correction(settings: Settings): Correction {
    const on = settings["is_weight.enabled"] === true;
    const upper = on ? readNumber(settings, "is_weight.upper_bound") : undefined;
    if (upper !== undefined && !(upper > 0)) {
      throw new UsageError(
        `roll: is_weight.upper_bound ${upper} leaves no weight: ROLL computes is_weight.clamp(min=0.0, max=${upper})`,
      );
    }
    const filters = readFilters(settings).map(rollFilterStep);
    return {
      ...(on && { weight: chooseWeight(settings) }),
      steps: [
        ...(upper === undefined ? [] : [{ action: "truncate", upper } satisfies Truncate]),
        ...filters.filter((step): step is Reject => step !== undefined),
      ],
    };
  },

  traps: (settings) => rollTraps(settings, readFilters(settings)),

  metrics: (settings) => rollMetrics(settings, readFilters(settings).length > 0),

  express(correction) {
    const { weight, steps } = plainForm(correction);
    const truncate = steps.find((step): step is Truncate => step.action === "truncate");
    const filters = steps.filter((step) => step !== truncate).map(toRollFilter);
    const type = weight ? rollAggType(weight.level, weight.aggregation) : "token";
    if (!type || filters.includes(undefined)) return undefined;
    return firstExpressing(roll, correction, [
      {
        "is_weight.enabled": weight !== undefined,
        "is_weight.weight_type": type,
        "is_weight.upper_bound": truncate?.upper ?? null,
        filters: rollFiltersText(filters.filter((filter) => filter !== undefined)),
      },
    ]);
  },

  config(settings) {
    const on = settings["is_weight.enabled"] === true;
    const filters = readFilters(settings);
    const weight = [
      `    enabled: ${on}\n`,
      ...(on
        ? [
            `    weight_type: ${settings["is_weight.weight_type"]}\n`,
            `    upper_bound: ${yamlLiteral(settings["is_weight.upper_bound"] ?? null)}\n`,
          ]
        : []),
    ];
    return {
      language: "yaml",
      place: "the pipeline's YAML, top level",
      text: `enable_old_logprobs_recompute: true\ntrain_infer_correction:\n  is_weight:\n${weight.join("")}${filters.length > 0 ? "  filters:\n" : "  filters: []\n"}${filters.map(filterYaml).join("")}`,
    };
  },
};

function chooseWeight(settings: Settings): Weight {
  return ROLL_LEVELS[settings["is_weight.weight_type"] as RollAggType];
}

function readFilters(settings: Settings): readonly RollFilter[] {
  const text = settings.filters;
  return typeof text === "string" ? parseRollFilters(text) : [];
}

function filterYaml({ aggType, on, low, high }: RollFilter): string {
  const [own, other] = on === "ratio" ? ["ratio", "diff"] : ["diff", "ratio"];
  return [
    "    - enabled: true\n",
    `      agg_type: ${aggType}\n`,
    `      ${own}_enabled: true\n`,
    `      ${own}_low: ${yamlBound(low)}\n`,
    `      ${own}_high: ${yamlBound(high)}\n`,
    `      ${other}_enabled: false\n`,
  ].join("");
}

function yamlBound(value: number): string {
  return Number.isFinite(value) ? yamlLiteral(value) : value > 0 ? ".inf" : "-.inf";
}

function rollTraps(settings: Settings, filters: readonly RollFilter[]): readonly Trap[] {
  return [
    {
      says: "ROLL's defaults correct nothing: is_weight.enabled and every filter's enabled are false until set",
      setting: "is_weight.enabled",
    },
    {
      says: "where a batch has no infer_logprobs the actor worker takes old_log_probs in their place: every ratio is 1 and all metrics look perfect",
    },
    {
      says: "with enable_old_logprobs_recompute false, filtered tokens still count in token-mean's denominator, which was counted before",
    },
    ...ofWeights(settings),
    ...ofFilters(filters),
    ...ofClipFraction(settings),
  ];
}

function ofWeights(settings: Settings): Trap[] {
  if (settings["is_weight.enabled"] !== true) return [];
  const upper = settings["is_weight.upper_bound"];
  const type = settings["is_weight.weight_type"];
  const traps: Trap[] = [];
  if (upper === 1.2)
    traps.push({
      says: "upper_bound 1.2 is ROLL's default and far tighter than other trainers' 2 to 5",
      severity: "warning",
      code: "default-surprises",
      setting: "is_weight.upper_bound",
    });
  if (upper === null)
    traps.push({
      says: "upper_bound null: the ratio multiplies the loss unbounded",
      severity: "warning",
      code: "no-bounds",
      setting: "is_weight.upper_bound",
    });
  traps.push({ says: "the weight is clamped from above only: ratios near 0 stay" });
  if (type === "sequence") {
    traps.push({
      says: "weight_type sequence is a product without a clamp in log space: it over- or underflows on long sequences",
      severity: "warning",
      code: "product-ratio",
      setting: "is_weight.weight_type",
    });
  }
  if (type === "segment") {
    traps.push({
      says: "weight_type segment is the geometric mean over a turn, a run of the response mask, not its product",
      severity: "warning",
      code: "geometric",
      setting: "is_weight.weight_type",
    });
  }
  return traps;
}

function ofFilters(filters: readonly RollFilter[]): Trap[] {
  const traps: Trap[] = [];
  if (filters.some((filter) => filter.on === "diff")) {
    traps.push({ says: "diff bounds are on exp(old) − exp(infer), a difference of probabilities" });
  }
  if (filters.some((filter) => filter.on === "diff" && filter.aggType === "sequence")) {
    traps.push({
      says: "sequence diff is a sum over tokens: the same bound is tighter the longer the sequence",
      severity: "warning",
      code: "product-ratio",
      setting: "filters",
    });
  }
  if (filters.some((filter) => filter.on === "diff")) {
    traps.push({
      says: "ratio_enabled is true by default: a diff filter also filters ratios to [0.8, 1.2] unless it says ratio_enabled: false",
      severity: "drop",
      code: "default-surprises",
    });
  }
  if (filters.length > 0) {
    traps.push({
      says: "train_infer_{agg}_{ratio,diff}_mask_mean@sum count prompt and padding as passing but divide by response tokens, so they exceed 1; they depend on how wide the batch is padded and are not computed here",
    });
  }
  return traps;
}

function ofClipFraction(settings: Settings): Trap[] {
  const type = settings["is_weight.weight_type"];
  const clips = settings["is_weight.enabled"] === true && settings["is_weight.upper_bound"] !== null;
  if (!clips || (type !== "geometric" && type !== "sequence")) return [];
  return [
    {
      says: "is_weight_clipfrac@sum counts prompt and padding of a clipped sequence too but divides by response tokens; it depends on how wide the batch is padded and is not computed here",
    },
  ];
}
