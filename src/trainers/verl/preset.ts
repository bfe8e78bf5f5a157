/**
 * verl's rollout correction (verl-project/verl verl/trainer/ppo/rollout_corr_helper.py @ 1dda039b).
 *
 * @module
 */
import type { Correction, Step } from "../neutral/correction.ts";
import { yamlLines } from "../shared/literals.ts";
import type { ConfigText, Parameter, Preset, Settings } from "../shared/preset.ts";
import { verlBatchMetrics } from "./correction-metrics.ts";
import { expressInVerl } from "./express.ts";
import {
  readVerlSettings,
  VERL_BOUND,
  VERL_OPTIONS,
  type VerlImportance,
  type VerlPlan,
} from "./settings.ts";
import { verlTraps } from "./traps.ts";

const PARAMETERS: readonly Parameter[] = [
  {
    name: "rollout_is",
    kind: "text",
    fallback: null,
    meaning: "level of the importance weights: token, sequence (product of ratios), or none",
  },
  {
    name: "rollout_is_threshold",
    kind: "number or text",
    fallback: 2,
    meaning: 'a number: weights are clamped to it (TIS); "lower_upper": weights outside are zeroed (IcePop)',
  },
  {
    name: "rollout_is_batch_normalize",
    kind: "boolean",
    fallback: false,
    meaning: "divide the weights by their mean over the batch (tokens, or sequences at sequence level)",
  },
  {
    name: "rollout_rs",
    kind: "text",
    fallback: null,
    meaning: `rejection: none, or a comma list of ${VERL_OPTIONS.join(", ")}; what any of them rejects is masked`,
  },
  {
    name: "rollout_rs_threshold",
    kind: "number or text",
    fallback: null,
    meaning:
      'one entry for all options or one each, by commas: k1 takes "lower_upper" bounds on π_rollout/π_train (a single number u means 1/u to u), k2 and k3 an upper bound in nats',
  },
];

export const verl: Preset = {
  name: "verl",
  trainer: "verl",
  summary:
    "TIS or IcePop weights by token or sequence, batch normalization, rejection by k1, k2, k3 over tokens or sequences",
  source: "verl-project/verl verl/trainer/ppo/rollout_corr_helper.py @ 1dda039b",
  parameters: PARAMETERS,
  correction: (settings) => buildCorrection(readVerlSettings(settings)),
  traps: (settings) => verlTraps(settings, readVerlSettings(settings)),
  metrics: (settings) => verlBatchMetrics(readVerlSettings(settings)),
  express: expressInVerl,
  config: configText,
};

function buildCorrection({ importance, rejections }: VerlPlan): Correction {
  const steps: Step[] = importance ? weightSteps(importance) : [];
  for (const { statistic, level, aggregation, lower, upper } of rejections) {
    steps.push({
      action: "mask",
      measure: { statistic, level, aggregation, deltaBound: VERL_BOUND },
      ...(lower !== undefined && { lower }),
      upper,
    });
  }
  return {
    ...(importance && { weight: { level: importance.level, aggregation: "sum", logBound: VERL_BOUND } }),
    steps,
  };
}

function weightSteps({ level, lower, upper, normalize }: VerlImportance): Step[] {
  return [
    lower === undefined ? { action: "truncate", upper } : { action: "zero", measure: "weight", lower, upper },
    ...(normalize ? [{ action: "normalize", over: level } as const] : []),
  ];
}

/** Text is quoted: YAML 1.1 reads an unquoted 0.5_2 as the number 0.52. */
function configText(settings: Settings): ConfigText {
  const names = PARAMETERS.map(({ name }) => name);
  return {
    language: "yaml",
    place: "the trainer's YAML (ppo_trainer.yaml), under algorithm.rollout_correction",
    text: `algorithm:\n  rollout_correction:\n${yamlLines(settings, names, "    ")}`,
  };
}
