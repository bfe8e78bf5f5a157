import type { Correction } from "../neutral/correction.ts";
import type { Parameter, Preset, Settings } from "../shared/preset.ts";
import { firstExpressing, plainForm } from "../shared/same-effect.ts";
import { trl } from "../trl/preset.ts";

const MODE = "vllm_importance_sampling_mode";
const RS = "rollout_rs";

const parameters: readonly Parameter[] = [
  ...trl.parameters.map((parameter) =>
    parameter.name === MODE
      ? {
          ...parameter,
          choices: [...(parameter.choices ?? []), "geometric_truncate", "geometric_mask"],
          meaning:
            "ratio per token, product or geometric mean over the sequence; truncate clamps, mask zeroes the weight; UNSLOTH_GRPO_VLLM_IS_MODE overrides it",
        }
      : parameter,
  ),
  {
    name: RS,
    kind: "text",
    fallback: null,
    meaning: "UNSLOTH_GRPO_ROLLOUT_RS: verl's rollout_rs options, each with weight 0 for what it rejects",
  },
];

/** TRL's settings for the same mode: `geometric_mask` is `sequence_mask` with a mean for the sum. */
function asTrl(settings: Settings): { readonly own: Settings; readonly isGeometric: boolean } {
  const { [RS]: _, ...rest } = settings;
  const mode = String(settings[MODE]);
  return {
    own: { ...rest, [MODE]: mode.replace(/^geometric/, "sequence") },
    isGeometric: /^geometric/.test(mode),
  };
}

/** Unsloth's GRPO with vLLM: TRL's modes, and two over the geometric mean. */
export const unsloth: Preset = {
  name: "unsloth",
  trainer: "Unsloth",
  summary: "GRPO with vLLM: TRL's four modes and geometric_truncate, geometric_mask; off unless switched on",
  source: "unslothai/unsloth-zoo unsloth_zoo/rl_replacements.py grpo_compute_loss, 2026.10.9",
  parameters,

  correction(settings: Settings): Correction {
    const { own, isGeometric } = asTrl(settings);
    const correction = trl.correction(own);
    if (!isGeometric || !correction.weight) return correction;
    return { ...correction, weight: { ...correction.weight, aggregation: "mean" } };
  },

  beyondForm: (settings) =>
    settings[RS] === null
      ? undefined
      : `${String(settings[MODE])} weights, and rejection by ${String(settings[RS])} with weight 0 for what is rejected`,

  traps: (settings) => {
    const { own, isGeometric } = asTrl(settings);
    return trl
      .traps(own)
      .filter(
        ({ says, code }) =>
          !/sampling\/|clamped in log space/.test(says) && !(isGeometric && code === "product-ratio"),
      )
      .map((trap) => ({ ...trap, says: trap.says.replace(String(own[MODE]), String(settings[MODE])) }));
  },

  metrics: () => ({ add: () => undefined, finish: () => ({}) }),

  express(correction) {
    const { weight } = plainForm(correction);
    if (weight?.level !== "sequence" || weight.aggregation !== "mean") {
      const found = trl.express(correction);
      return found && { ...found, [RS]: null };
    }
    const found = trl.express({ ...correction, weight: { ...weight, aggregation: "sum" } });
    const mode = String(found?.[MODE]).replace("sequence", "geometric");
    return found && firstExpressing(unsloth, correction, [{ ...found, [MODE]: mode }]);
  },

  config(settings) {
    const { own } = asTrl(settings);
    const text = trl.config(own).text.replace(String(own[MODE]), String(settings[MODE]));
    return { language: "python", place: "arguments of trl.GRPOConfig, with Unsloth imported first", text };
  },
};
