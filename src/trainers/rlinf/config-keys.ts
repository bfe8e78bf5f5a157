/**
 * RLinf's config keys: how to recognize its configs, and mistakes that only a config can have.
 *
 * @module
 */
import { type Dialect, isFalse, isTrue, type LintRule, needsSwitch } from "../shared/dialect.ts";

const LOSSES = "rlinf/algorithms/losses.py compute_decoupled_ppo_actor_loss";
const CONFIG = "rlinf/config.py";
const ACTOR = "rlinf/workers/actor/fsdp_actor_worker.py";

/** The fix needs the log-probs of both policies, and switches both on, after a look at whether there are any. */
const oneSide: LintRule = ({ get, at, settings }) => {
  const [recompute, returned] = [get("algorithm.recompute_logprobs"), get("rollout.return_logprobs")];
  if (settings.importance_sampling_fix !== true || recompute?.value !== false) return [];
  if (isFalse(returned))
    return [
      {
        severity: "error",
        code: "refused",
        ...at(recompute),
        message: "RLinf stops: neither recompute_logprobs nor rollout.return_logprobs is True",
        why: "that is asked before importance_sampling_fix switches both on",
        source: `${CONFIG} validate_reasoning_cfg`,
        instead: "algorithm.recompute_logprobs: True",
      },
    ];
  return [
    {
      severity: "note",
      code: "overridden",
      ...at(recompute),
      message: `${recompute.key} ${recompute.text} is overridden: importance_sampling_fix switches it on`,
      source: `${CONFIG} validate_reasoning_cfg`,
    },
  ];
};

const uncapped: LintRule = ({ get, at, found, settings }) => {
  if (settings.importance_sampling_fix !== true || found.has("importance_sampling_clip")) return [];
  return [
    {
      severity: "error",
      code: "refused",
      ...at(get("algorithm.importance_sampling_fix")),
      message: "importance_sampling_fix without importance_sampling_clip, which has no default",
      source: ACTOR,
      instead: "algorithm.importance_sampling_clip: 2.0",
    },
  ];
};

const decoupled: LintRule = ({ get, at, found }) => {
  const [entry, type] = [found.get("behave_weight_threshold"), get("algorithm.loss_type")];
  if (!entry || entry.value === null || !type || /decoupled/.test(type.text)) return [];
  return [
    {
      severity: "error",
      code: "not-switched-on",
      ...at(entry),
      message: `${entry.key} has no effect with loss_type ${type.text}: only the decoupled losses read it`,
      source: LOSSES,
      instead: "loss_type: decoupled_actor_critic",
    },
  ];
};

export const rlinfDialect: Dialect = {
  preset: () => "rlinf",
  sections: ["algorithm"],
  callees: [],
  example: "algorithm.behave_weight_threshold",
  marks: [
    /^algorithm\.(behave_weight_threshold|importance_sampling_(fix|clip)|adv_type|loss_type|recompute_logprobs|ratio_clip_eps|group_size)$/,
    /^(runner\.task_type|cluster\.component_placement)/,
    /^actor\.(training_backend|mcore_gpt)/,
  ],
  textMarks: [/\brlinf\b/i],
  knownKeys: [
    ...["recompute_logprobs", "loss_type", "logprob_type", "sampling_params", "staleness_threshold"],
    // Bounds of PPO's own ratio.
    ...["clip_ratio_low", "clip_ratio_high", "clip_ratio_c", "ratio_clip_eps"],
    ...["clip_log_ratio_min", "clip_log_ratio_max", "early_stop_imp_ratio"],
    // Of the asynchronous trainer, which waits until this share of its trajectories is of the newest weights.
    "on_policy_min_ratio",
  ],
  defaults: (view) => ({ importance_sampling_fix: isTrue(view.get("algorithm.importance_sampling_fix")) }),
  unknownKeys: { effect: "ignored", source: "rlinf/config.py: cfg.algorithm.get" },
  rules: [
    oneSide,
    uncapped,
    decoupled,
    needsSwitch({
      settings: ["importance_sampling_clip"],
      isOff: ({ settings }) => settings.importance_sampling_fix === false,
      off: "importance_sampling_fix is False, the default",
      source: ACTOR,
      instead: "algorithm.importance_sampling_fix: True",
    }),
  ],
};
