/**
 * ROLL's config keys: how to recognize its configs, and mistakes that only a config can have.
 *
 * @module
 */

import type { Entry } from "../shared/config-entry.ts";
import { type ConfigView, type Dialect, isTrue, type LintRule, needsSwitch } from "../shared/dialect.ts";
import type { Setting } from "../shared/preset.ts";

const CONFIG = "roll/configs/base_config.py";

type Filter = ReadonlyMap<string, Entry>;

/** A map of keys per entry of `filters`. */
function collectFilters(view: ConfigView): readonly Filter[] {
  const filters = new Map<string, Map<string, Entry>>();
  for (const { rest, entry } of view.below("train_infer_correction.filters")) {
    const [index = "", key = ""] = rest;
    const filter = filters.get(index) ?? new Map<string, Entry>();
    filter.set(key, entry);
    filters.set(index, filter);
  }
  return [...filters.values()];
}

function isOn(filter: Filter): boolean {
  return filter.get("enabled")?.value === true;
}

/** A filter in the preset's form, with ROLL's defaults: ratios in [0.8, 1.2], differences off. */
function filterText(filter: Filter): string[] {
  const of = (key: string, fallback: Setting): string => String(filter.get(key)?.value ?? fallback);
  const type = of("agg_type", "token");
  return [
    ...(of("ratio_enabled", true) === "true"
      ? [`${type}:ratio:${of("ratio_low", 0.8)}:${of("ratio_high", 1.2)}`]
      : []),
    ...(of("diff_enabled", false) === "true"
      ? [`${type}:diff:${of("diff_low", -0.2)}:${of("diff_high", 0.2)}`]
      : []),
  ];
}

const filtersOff: LintRule = (context) =>
  collectFilters(context)
    .filter((filter) => !isOn(filter))
    .map((filter) => {
      const [first] = filter.values();
      return {
        severity: filter.get("enabled")?.value === false ? ("note" as const) : ("error" as const),
        code: "not-switched-on",
        ...context.at(filter.get("enabled") ?? first),
        message: `this filter has no effect: enabled is ${filter.has("enabled") ? "false" : "not given, and defaults to false"}`,
        source: `${CONFIG} TrainInferFilterConfig`,
        instead: "enabled: true",
      };
    });

const alsoRatio: LintRule = (context) =>
  collectFilters(context)
    .filter((filter) => isOn(filter) && isTrue(filter.get("diff_enabled")) && !filter.has("ratio_enabled"))
    .map((filter) => ({
      severity: "warning" as const,
      code: "default-surprises",
      ...context.at(filter.get("diff_enabled")),
      message: `a difference filter that also filters ratios to [${filter.get("ratio_low")?.text ?? 0.8}, ${filter.get("ratio_high")?.text ?? 1.2}]`,
      why: "ratio_enabled is true by default",
      source: `${CONFIG} TrainInferFilterConfig`,
      instead: "ratio_enabled: false",
    }));

export const rollDialect: Dialect = {
  preset: () => "roll",
  sections: ["train_infer_correction"],
  callees: [],
  example: "train_infer_correction.*",
  marks: [
    /(^|\.)train_infer_correction(\.|$)/,
    // A config may have only filters, which hold no setting under its own name.
    /(^|\.)train_infer_correction\.filters\.\d/,
    /^(actor_train|actor_infer|reference)\.(model_args|training_args|generating_args|strategy_args|device_mapping)/,
    /^rollout_batch_size$/,
    /^(infer_is_mode|infer_correction)$/,
  ],
  textMarks: [/\bROLL\b|roll\.pipeline/],
  knownKeys: ["detach", "enabled", "is_weight", "filters", "agg_type"],
  defaults: () => ({ "is_weight.enabled": false }),
  collect: (view) => {
    const on = collectFilters(view).filter(isOn);
    const entry = on[0]?.values().next().value;
    const filters = on.flatMap(filterText).join(",");
    return entry === undefined ? {} : { filters: { value: filters as Setting, entry } };
  },
  otherNames: [
    {
      effect: "ignored",
      why: "the config is read without strict, so the key is never looked at",
      source:
        "alibaba/ROLL pull requests 273 and 288 (roll/configs/base_config.py, a595ec3d); no release has them",
      names: {
        infer_is_mode: "train_infer_correction.is_weight: {enabled: true, weight_type: …}",
        infer_correction: "train_infer_correction.is_weight.enabled: true",
        infer_is_threshold_max: "train_infer_correction.is_weight.upper_bound",
        infer_is_threshold_min: "nothing: the weight has no lower bound",
        enable_token_reject:
          "train_infer_correction.filters: an entry with enabled: true and agg_type: token",
        infer_token_mask_threshold_min: "ratio_low of that entry",
        infer_token_mask_threshold_max: "ratio_high of that entry",
        enable_seq_reject:
          "train_infer_correction.filters: an entry with enabled: true and agg_type: sequence or geometric",
        infer_seq_mask_threshold_min: "ratio_low of that entry",
        infer_seq_mask_threshold_max: "ratio_high of that entry",
      },
    },
  ],
  unknownKeys: {
    effect: "ignored",
    source: "examples/start_agentic_pipeline.py: dacite.from_dict without strict",
  },
  rules: [
    filtersOff,
    alsoRatio,
    needsSwitch({
      settings: ["is_weight.weight_type", "is_weight.upper_bound"],
      isOff: ({ settings }) => settings["is_weight.enabled"] === false,
      off: "is_weight.enabled is false, ROLL's default",
      source: `${CONFIG} TrainInferISWeightConfig`,
      instead: "enabled: true under is_weight",
    }),
  ],
};
