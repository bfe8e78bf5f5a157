/**
 * AReaL's config keys: how to recognize its configs, and mistakes that only a config can have.
 *
 * @module
 */
import { type Dialect, isTrue, type LintRule, oldNames } from "../shared/dialect.ts";

const CONFIG = "areal/api/cli_args.py";

const decoupled: LintRule = ({ get, below, at, document }) => {
  const entry = get("use_decoupled_loss");
  const [first] = below("rejection_sampling");
  const sampling = get("rejection_sampling") ?? first?.entry;
  if (document.callee !== undefined) return [];
  if (sampling && sampling.value !== null && !isTrue(entry) && !entry?.unsure) {
    return [
      {
        severity: "error",
        code: "not-switched-on",
        ...at(sampling),
        message: `rejection_sampling has no effect: use_decoupled_loss is ${entry ? "false" : "not given, and defaults to false"}`,
        source: `${CONFIG} PPOActorConfig.__post_init__: "Filtering will be ignored."`,
        instead: "actor.use_decoupled_loss: true",
      },
    ];
  }
  if (isTrue(entry) && (!sampling || sampling.value === null)) {
    return [
      {
        severity: "warning",
        code: "default-surprises",
        ...at(entry),
        message:
          "use_decoupled_loss without rejection_sampling: no behavior weight, no filter and no metric of either",
        why: "earlier versions masked tokens with a ratio above 5 by default",
        source: `${CONFIG} PPOActorConfig.__post_init__`,
        instead: "rejection_sampling: {level: token, action: mask, metric: ratio, upper: 5.0}",
      },
    ];
  }
  return [];
};

export const arealDialect: Dialect = {
  preset: () => "areal",
  sections: ["rejection_sampling", "actor"],
  callees: ["RejectionSamplingConfig"],
  example: "rejection_sampling.*",
  marks: [
    /(^|\.)rejection_sampling(\.|$)/,
    /(^|\.)use_decoupled_loss$/,
    /(^|\.)prox_logp_method$/,
    /(^|\.)behave?_imp_weight_(cap|mode)$/,
    /^(allocation_mode|rollout\.max_head_offpolicyness)$/,
  ],
  textMarks: [/\bareal\b/i],
  knownKeys: [
    "recompute_logprob",
    "prox_logp_method",
    "behav_imp_weight_cap",
    "behave_imp_weight_cap",
    "behave_imp_weight_mode",
  ],
  unknownKeys: { effect: "refused", source: `${CONFIG}: OmegaConf structured config` },
  rules: [
    decoupled,
    oldNames(
      {
        behav_imp_weight_cap: "rejection_sampling: {level: token, action: mask, metric: ratio, upper: …}",
        behave_imp_weight_cap: "rejection_sampling: {level: token, action: mask, metric: ratio, upper: …}",
        behave_imp_weight_mode: "rejection_sampling with action mask or clamp; disabled is null",
      },
      { why: "the key was removed, and AReaL stops", source: `${CONFIG} _migrate_legacy_rejection_sampling` },
    ),
  ],
};
