/**
 * AReaL's config keys: how to recognize its configs, and mistakes that only a config can have.
 *
 * @module
 */
import { type Dialect, isTrue, type LintRule } from "../shared/dialect.ts";
import type { Setting, Settings } from "../shared/preset.ts";
import type { Since } from "../shared/release.ts";

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
        why: "before, tokens with a ratio above 5 were masked by default",
        source: `${CONFIG} PPOActorConfig.__post_init__`,
        instead: "rejection_sampling: {level: token, action: mask, metric: ratio, upper: 5.0}",
      },
    ];
  }
  return [];
};

/** Where `rejection_sampling` replaced cap and mode. */
const SAMPLING: Since = { version: "1.0.4", date: "2026-05-21", atLatest: true };

const shared = {
  preset: () => "areal",
  textMarks: [/\bareal\b/i],
  unknownKeys: { effect: "refused", source: `${CONFIG}: OmegaConf structured config` },
} satisfies Partial<Dialect>;

/** Keys beside the correction; the last two came after 1.0.4 (areal-project/AReaL, 2026-09-18). */
const KNOWN = [
  "recompute_logprob",
  "prox_logp_method",
  "m2_threshold",
  "importance_sampling_level",
  "greedy",
  "max_head_offpolicyness",
  "dump_to_file",
  "use_cispo_loss",
  "enable_fp32_lm_head",
];

const MARKS = [
  /(^|\.)use_decoupled_loss$/,
  /(^|\.)prox_logp_method$/,
  /^(allocation_mode|rollout\.max_head_offpolicyness)$/,
];

export const arealDialect: Dialect = {
  ...shared,
  since: SAMPLING,
  sections: ["rejection_sampling", "actor"],
  callees: ["RejectionSamplingConfig"],
  example: "rejection_sampling.*",
  marks: [/(^|\.)rejection_sampling(\.|$)/, ...MARKS],
  knownKeys: KNOWN,
  // Both are off by default; a call of the sub-config says nothing of the actor.
  defaults: ({ document, get, below }): Settings => {
    if (document.callee !== undefined) return {};
    const sampled = get("rejection_sampling") ?? below("rejection_sampling")[0];
    return { use_decoupled_loss: false, ...(sampled === undefined && { level: null }) };
  },
  otherNames: [
    {
      until: SAMPLING,
      effect: "refused",
      why: "AReaL raises ValueError: the keys were removed",
      source: `${CONFIG} _migrate_legacy_rejection_sampling`,
      names: {
        behav_imp_weight_cap: "rejection_sampling: {level: token, action: mask, metric: ratio, upper: …}",
        behave_imp_weight_cap: "rejection_sampling: {level: token, action: mask, metric: ratio, upper: …}",
        behave_imp_weight_mode: "rejection_sampling with action mask or clamp; disabled is null",
      },
    },
  ],
  rules: [decoupled],
};

const CAP = "behave_imp_weight_cap";
const MODE = "behave_imp_weight_mode";

/** `token_mask`, `sequence_truncate` and their like, as AReaL's own message translates them. */
function fromMode(mode: string): Readonly<Record<string, Setting>> {
  if (mode === "disabled") return { level: null };
  const [level = "token", action] = mode.split("_");
  return { level, action: action === "truncate" ? "clamp" : "mask", metric: "ratio" };
}

/** Before `rejection_sampling`: a cap, 5 by default, and a mode, token_mask by default. */
export const arealEarlierDialect: Dialect = {
  ...shared,
  sections: ["actor"],
  callees: [],
  example: "behave_imp_weight_cap",
  marks: [/(^|\.)behave?_imp_weight_(cap|mode)$/, ...MARKS],
  knownKeys: [...KNOWN, CAP, MODE],
  defaults: () => ({ use_decoupled_loss: false }),
  collect: (view) => {
    const [cap, mode] = [view.get(CAP) ?? view.get("behav_imp_weight_cap"), view.get(MODE)];
    return {
      ...(cap && typeof cap.value === "number" && { upper: { value: cap.value, entry: cap } }),
      ...(mode &&
        Object.fromEntries(
          Object.entries(fromMode(mode.text)).map(([name, value]) => [name, { value, entry: mode }]),
        )),
    };
  },
  rules: [],
};
