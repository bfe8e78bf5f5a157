/**
 * xtuner's rollout importance sampling (InternLM/xtuner xtuner/v1/rl/rollout_is.py @ b934f462).
 *
 * @module
 */

import { pythonLiteral } from "../shared/literals.ts";
import type { ConfigText, Parameter, Preset, Settings } from "../shared/preset.ts";
import { expressInXtuner } from "./express.ts";
import { xtunerStepMetrics } from "./merge.ts";
import { readXtunerSettings, xtunerCorrection } from "./settings.ts";
import { xtunerTraps } from "./traps.ts";

const PARAMETERS: readonly Parameter[] = [
  {
    name: "rollout_is_level",
    kind: "text",
    fallback: "token",
    meaning:
      "level of the importance weights: token, sequence (product of ratios) or geometric (their geometric mean)",
  },
  {
    name: "rollout_is_mode",
    kind: "text",
    fallback: "truncate",
    meaning: "what happens outside the thresholds: truncate (weights clamped on both sides), mask, or both",
  },
  {
    name: "rollout_is_threshold",
    kind: "pair",
    fallback: null,
    meaning: "(upper, lower) bounds on the weight; none switches everything off, the veto included",
  },
  {
    name: "rollout_is_mask_threshold",
    kind: "pair",
    fallback: null,
    meaning: "(upper, lower) bounds outside which modes mask and both mask; rollout_is_threshold when none",
  },
  {
    name: "rollout_is_veto_threshold",
    kind: "pair",
    fallback: null,
    meaning:
      "(upper, lower) bounds on the ratio of a single token; a sequence with any token outside is masked",
  },
];

export const xtuner: Preset = {
  name: "xtuner",
  trainer: "xtuner",
  summary:
    "weights by token, sequence or geometric mean; truncate, mask or both; veto of sequences by single tokens",
  source: "InternLM/xtuner xtuner/v1/rl/rollout_is.py @ b934f462",
  parameters: PARAMETERS,
  correction: (settings) => xtunerCorrection(readXtunerSettings(settings)),
  traps: (settings) => xtunerTraps(settings, readXtunerSettings(settings)),
  metrics: (settings) => xtunerStepMetrics(readXtunerSettings(settings)),
  express: expressInXtuner,
  config: configText,
};

function configText(settings: Settings): ConfigText {
  const lines = PARAMETERS.map(({ name, kind }) => {
    const value = settings[name] ?? null;
    const order = kind === "pair" && value !== null ? "  # (upper, lower)" : "";
    return `    ${name}=${pythonLiteral(value)},${order}`;
  });
  return {
    language: "python",
    place: "the RL config's loss (GRPOLossConfig or another), argument rollout_is",
    text: [
      "from xtuner.v1.rl.rollout_is import RolloutImportanceSampling",
      "",
      "rollout_is = RolloutImportanceSampling(",
      ...lines,
      ")",
      "",
    ].join("\n"),
  };
}
