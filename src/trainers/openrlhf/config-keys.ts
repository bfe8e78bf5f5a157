/**
 * OpenRLHF's config keys: how to recognize its configs, and mistakes that only a config can have.
 *
 * @module
 */
import { type Dialect, type LintRule, needsSwitch, oldNames } from "../shared/dialect.ts";

const ARGUMENTS = "openrlhf/cli/train_ppo_ray.py";
const LOSS = "openrlhf/models/loss.py PolicyLoss.forward";

const order: LintRule = ({ found, at, settings }) => {
  const entry = found.get("is_correction_threshold");
  const value = entry?.value;
  if (!entry) return [];
  if (typeof value === "number") {
    return [
      {
        severity: "error",
        code: "refused",
        ...at(entry),
        message: `${entry.key} takes two numbers, low and high; ${entry.text} is one`,
        source: `${ARGUMENTS}: nargs=2`,
        instead: `${entry.key} 0.5 ${value}`,
      },
    ];
  }
  if (!Array.isArray(value) || value.length !== 2 || (value[0] as number) <= (value[1] as number)) return [];
  const [first, second] = value as [number, number];
  const clamp = settings.is_correction_type === "tis";
  return [
    {
      severity: "error",
      code: "order",
      ...at(entry),
      message: `${entry.key} is low high, but ${first} ${second} is in reverse order`,
      why: clamp
        ? `torch.clamp with min above max gives max everywhere: every weight becomes ${second}`
        : "no ratio is at least the low and at most the high bound: everything is dropped",
      source: LOSS,
      instead: `${entry.key} ${second} ${first}`,
    },
  ];
};

export const openrlhfDialect: Dialect = {
  preset: () => "openrlhf",
  sections: ["algo.advantage", "actor"],
  callees: [],
  example: "--algo.advantage.is_correction_*",
  marks: [
    /^algo\.(advantage|kl)\./,
    /^(vllm|train|actor|rollout)\.(num_engines|async_enable|policy_loss_type|n_samples_per_prompt)/,
    /^(enable_vllm_is_correction|vllm_is_truncated_threshold|vllm_num_engines)$/,
  ],
  textMarks: [/openrlhf/i],
  knownKeys: ["estimator", "gamma", "lambd"],
  defaults: () => ({ is_correction_enable: false }),
  unknownKeys: { effect: "refused", source: `${ARGUMENTS}: argparse, "unrecognized arguments"` },
  rules: [
    order,
    needsSwitch({
      settings: ["is_correction_type", "is_correction_threshold"],
      isOff: ({ settings }) => settings.is_correction_enable === false,
      off: "--algo.advantage.is_correction_enable is not given",
      source: LOSS,
      instead: "--algo.advantage.is_correction_enable",
    }),
    needsSwitch({
      settings: ["is_correction_type", "is_correction_threshold"],
      isOff: ({ settings }) => settings.is_correction_enable === true && settings.policy_loss_type === "gspo",
      off: "with policy_loss_type gspo the correction only changes which log-probs the ratio is taken against",
      source: LOSS,
      instead: "--actor.policy_loss_type ppo, or omit type and threshold",
    }),
    oldNames(
      {
        enable_vllm_is_correction: "--algo.advantage.is_correction_enable",
        vllm_is_truncated_threshold: "--algo.advantage.is_correction_threshold low high",
        vllm_is_correction_type: "--algo.advantage.is_correction_type",
        use_icepop: "--algo.advantage.is_correction_type icepop",
      },
      { why: "argparse stops at an argument that it does not know", source: ARGUMENTS },
    ),
  ],
};
