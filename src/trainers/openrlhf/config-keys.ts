/**
 * OpenRLHF's config keys since 0.11.2: how to recognize its configs, and mistakes that only a config can have.
 *
 * @module
 */
import { type Dialect, type LintRule, needsSwitch } from "../shared/dialect.ts";
import { GATED } from "./earlier/config-keys.ts";

const ARGUMENTS = "openrlhf/cli/train_ppo_ray.py";
const LOSS = "openrlhf/models/loss.py PolicyLoss";
const PLACE = "--algo.advantage.";
const GATE = ["is_correction_mode", "is_correction_gating", "is_correction_threshold"];

/** The threshold is one or two numbers, the low one first. */
const order: LintRule = ({ found, at }) => {
  const entry = found.get("is_correction_threshold");
  const value = entry?.value;
  if (!entry || !Array.isArray(value)) return [];
  const [first = 0, second = 0] = value as readonly number[];
  if (value.length > 2)
    return [
      {
        severity: "error",
        code: "refused",
        ...at(entry),
        message: `${entry.key} takes HIGH or LOW HIGH; ${entry.text} is ${value.length} numbers`,
        source: `${ARGUMENTS}: "takes HIGH or LOW HIGH"`,
        instead: `${entry.key} ${first} ${second}`,
      },
    ];
  if (value.length < 2 || first <= second) return [];
  return [
    {
      severity: "error",
      code: "order",
      ...at(entry),
      message: `${entry.key} is LOW HIGH, but ${first} ${second} is in reverse order`,
      why: "nothing is at least the low and at most the high bound: everything is dropped; clip gives every token the high one",
      source: `${LOSS}.forward`,
      instead: `${entry.key} ${second} ${first}`,
    },
  ];
};

export const openrlhfDialect: Dialect = {
  preset: () => "openrlhf",
  since: GATED,
  sections: ["algo.advantage", "actor"],
  callees: [],
  example: "--algo.advantage.is_correction_*",
  marks: [
    /^algo\.(advantage|kl)\./,
    /^(vllm|train|actor|rollout)\.(num_engines|async_enable|policy_loss_type|n_samples_per_prompt)/,
  ],
  textMarks: [/openrlhf/i],
  knownKeys: ["estimator", "gamma", "lambd"],
  defaults: () => ({ is_correction_level: "off" }),
  // One number is the upper bound.
  collect: (view): ReturnType<NonNullable<Dialect["collect"]>> => {
    const entry = view.get("is_correction_threshold");
    const value = Array.isArray(entry?.value) && entry.value.length === 1 ? entry.value[0] : entry?.value;
    return entry === undefined || typeof value !== "number"
      ? {}
      : { is_correction_threshold: { value: [0, value], entry } };
  },
  otherNames: [
    {
      until: GATED,
      effect: "refused",
      why: "argparse stops at an argument that it does not know",
      source: ARGUMENTS,
      names: {
        is_correction_enable: `${PLACE}is_correction_level token`,
        is_correction_type: `${PLACE}is_correction_mode clip for tis, mask for icepop; ${PLACE}is_correction_level seq for seq-mask-tis`,
        enable_vllm_is_correction: `${PLACE}is_correction_level token`,
        vllm_is_truncated_threshold: `${PLACE}is_correction_threshold low high`,
        vllm_is_correction_type: `${PLACE}is_correction_mode and ${PLACE}is_correction_level`,
        use_icepop: `${PLACE}is_correction_level token`,
      },
    },
  ],
  unknownKeys: { effect: "refused", source: `${ARGUMENTS}: argparse, "unrecognized arguments"` },
  rules: [
    order,
    needsSwitch({
      settings: GATE,
      isOff: ({ settings }) => settings.is_correction_level === "off",
      off: "is_correction_level is off, the default",
      source: `${LOSS}.forward`,
      instead: `${PLACE}is_correction_level token`,
    }),
    needsSwitch({
      settings: GATE,
      isOff: ({ settings }) => settings.is_correction_level !== "off" && settings.policy_loss_type === "gspo",
      off: "with policy_loss_type gspo the correction only changes which log-probs the ratio is taken against",
      source: `${LOSS}.forward`,
      instead: "--actor.policy_loss_type ppo, or omit mode, gating and threshold",
    }),
  ],
};
