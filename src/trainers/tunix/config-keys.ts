/**
 * Tunix's config keys. Its weight is verl's token weight: exp of the log-ratio clamped to ±20 nats, at most the threshold.
 *
 * @module
 */
import { type Dialect, isFalse, type LintRule, needsSwitch } from "../shared/dialect.ts";

const LEARNER = "tunix/rl/agentic/agentic_grpo_learner.py";

const choices: LintRule = ({ found, at }) => {
  const entry = found.get("rollout_is");
  if (!entry || entry.value === null || entry.value === "token" || entry.unsure !== undefined) return [];
  return [
    {
      severity: "error",
      code: "no-effect",
      ...at(entry),
      message: `${entry.key} ${entry.text} does nothing: only "token" is looked for`,
      source: `${LEARNER}: sampler_is == "token"`,
      instead: `${entry.key}="token"`,
    },
  ];
};

const asOld: LintRule = ({ get, at, settings }) => {
  const entry = get("use_rollout_logps");
  if (isFalse(entry) || settings.rollout_is !== null) return [];
  return [
    {
      severity: "note",
      code: "rollout-as-old",
      ...at(entry),
      message:
        "without sampler_is the rollout's log-probs are the old ones: the clipped ratio is of the updated policy over the rollout",
      source: LEARNER,
    },
  ];
};

export const tunixDialect: Dialect = {
  preset: () => "verl",
  formulasOnly: true,
  names: { rollout_is: "sampler_is", rollout_is_threshold: "sampler_is_threshold" },
  sections: ["agentic_grpo_config", ""],
  callees: ["GRPOConfig", "AgenticGRPOConfig"],
  inside: "trl",
  example: "sampler_is",
  marks: [/(^|\.)sampler_is(_threshold)?$/, /(^|\.)(agentic_grpo_config|rl_training_config)\./],
  textMarks: [/\btunix\b/i, /\bsampler_is\b/],
  knownKeys: ["use_rollout_logps", "off_policy_steps", "loss_algo"],
  defaults: () => ({ rollout_is: null }),
  effective: ({ settings }, correction) => (settings.rollout_is === "token" ? correction : { steps: [] }),
  unknownKeys: { effect: "refused", source: `${LEARNER} GRPOConfig: an unexpected keyword argument` },
  rules: [
    choices,
    asOld,
    needsSwitch({
      settings: ["rollout_is_threshold"],
      isOff: ({ settings }) => settings.rollout_is === null,
      off: "sampler_is is None, the default",
      source: LEARNER,
      instead: 'sampler_is="token"',
    }),
  ],
};
