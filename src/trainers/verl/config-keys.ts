import type { Entry } from "../shared/config-entry.ts";
import {
  type ConfigView,
  type Dialect,
  isFalse,
  isTrue,
  type LintContext,
  type LintRule,
  needsSwitch,
} from "../shared/dialect.ts";
import { isBefore, type Since } from "../shared/release.ts";
import { DPPO_PARAMETERS } from "./dppo.ts";
import { verl } from "./preset.ts";

/** The first release with rejection by options such as seq_mean_k1, and without the veto. */
const OPTIONS: Since = { version: "0.7.1", date: "2026-03-16" };
/** The first release whose rollout.yaml asks for log-probs. */
const LOG_PROBS: Since = { version: "0.9.0", date: "2026-08-14" };
const STRUCT = {
  effect: "refused",
  why: "hydra refuses a key that is not in its struct; with + in front it is accepted and ignored",
  source: "verl/trainer/config/algorithm.py RolloutCorrectionConfig",
} as const;
const HELPER = "verl/trainer/ppo/rollout_corr_helper.py";
const V1 = "verl/trainer/ppo/v1/trainer_base.py";

function dppoLoss(view: ConfigView): Entry | undefined {
  const entry = view.get("policy_loss.loss_mode");
  return /^dppo_(tv|kl)$/.test(String(entry?.value)) ? entry : undefined;
}

/** Whether a DPPO loss has the rollout's log-probs as old ones. The trainer before v1 replaces the loss in bypass mode. */
function isRolloutDppo(view: ConfigView): boolean {
  return dppoLoss(view) !== undefined && isTrue(view.get("bypass_mode")) && !isFalse(view.get("use_v1"));
}

/** What a DPPO loss is against, and what bypass mode leaves out beside it. */
const dppo: LintRule = (context) => {
  const { get, at } = context;
  const loss = dppoLoss(context);
  if (!loss) return [];
  if (!isTrue(get("bypass_mode"))) {
    return [
      {
        severity: "warning",
        code: "not-the-rollout",
        ...at(loss),
        message: `${loss.text} compares the policy with its own log-probs from before the update: the mismatch with the rollout is not in it`,
        why: "old log-probs are recomputed by the trainer unless bypass_mode is true",
        source: `${V1} bypass_recomputing_logprobs`,
        instead: "algorithm.rollout_correction.bypass_mode: true",
      },
    ];
  }
  const v1 = get("use_v1");
  if (isFalse(v1)) {
    return [
      {
        severity: "error",
        code: "no-effect",
        ...at(loss),
        message: `${loss.key} has no effect: in bypass mode the trainer before v1 puts its own loss in its place`,
        why: "that loss is loss_type, ppo_clip or reinforce",
        source: `${HELPER} apply_bypass_mode`,
        instead: "trainer.use_v1: true",
      },
    ];
  }
  const unused = ["rollout_is", "rollout_rs"].flatMap((name) => {
    const entry = get(`rollout_correction.${name}`);
    return entry && entry.value !== null ? [entry] : [];
  });
  return unused.map((entry) => ({
    severity: "error" as const,
    code: "no-effect",
    ...at(entry),
    message: `${entry.key} has no effect: in bypass mode the v1 trainer computes neither weights nor rejection`,
    source: `${V1} bypass_recomputing_logprobs`,
    instead: `${entry.key}: null; the trust region of ${loss.text} is the correction`,
  }));
};

/**
 * In decoupled mode the correction runs only if the batch has rollout log-probs, and is otherwise silently skipped.
 */
const withoutLogProbs: LintRule = (context) => {
  const { get, at, found, given } = context;
  const asked = found.get("rollout_is") ?? found.get("rollout_rs") ?? found.get("loss_mode");
  if (!asked || !corrects(context)) return [];
  const switched = get("rollout.calculate_log_probs");
  if (isFalse(switched)) {
    return [
      {
        severity: "error",
        code: "not-switched-on",
        ...at(switched),
        message: `${asked.key} has no effect: calculate_log_probs is false, so the batch has no rollout log-probs`,
        why: "decoupled mode silently skips the correction; bypass_mode raises ValueError",
        source: `${"verl/trainer/ppo/ray_trainer.py"} fit, ${HELPER} apply_bypass_mode`,
        instead: "actor_rollout_ref.rollout.calculate_log_probs: true",
      },
    ];
  }
  const isOff = given === undefined ? undefined : isBefore(given, LOG_PROBS);
  if (switched || isOff === false) return [];
  return [
    {
      severity: isOff === true ? "error" : "note",
      code: isOff === true ? "not-switched-on" : "depends-on-version",
      ...at(asked),
      message: "rollout.calculate_log_probs is not set here, and the correction needs it",
      why: "rollout.yaml says True since 0.9.0; before, and in the dataclass, it is False, and the correction is then silently skipped",
      source: "verl/trainer/config/rollout/rollout.yaml, verl/workers/config/rollout.py",
      instead: "actor_rollout_ref.rollout.calculate_log_probs: true",
    },
  ];
};

const bypass: LintRule = ({ get, at, found, settings }) => {
  const entry = get("bypass_mode");
  if (!isTrue(entry)) return [];
  const loss = get("loss_type");
  const weights = found.get("rollout_is");
  const findings = [
    {
      severity: "warning" as const,
      code: "bypass-mode",
      ...at(entry),
      message:
        "bypass_mode takes the rollout's log-probs as old ones: weights and rejection compare the policy being updated with the rollout, again in each micro-batch",
      why: "what a dump shows (trainer against rollout before the update) is only its first micro-batch; the v1 trainer copies log-probs without installing the bypass loss, so there is no rollout_corr/* and no rejection there",
      source:
        "verl/trainer/ppo/core_algos.py compute_policy_loss_bypass_mode, verl/trainer/ppo/v1/trainer_base.py",
    },
  ];
  if (weights && settings.rollout_is !== null && (loss?.value ?? "ppo_clip") === "ppo_clip") {
    findings.push({
      severity: "warning",
      code: "no-effect",
      ...at(weights),
      message: `${weights.key} only changes metrics: with loss_type ppo_clip no importance weights are applied`,
      why: "PPO's own ratio is taken against the rollout already",
      source: "verl/trainer/ppo/core_algos.py compute_policy_loss_bypass_mode",
      instead: "loss_type: reinforce",
    } as (typeof findings)[number] & { instead: string });
  }
  return findings;
};

/** Settings were at `algorithm.rollout_is` before rollout_correction existed. */
const oldPlace: LintRule = ({ document, at }) =>
  document.entries
    .filter(({ path }) => path.at(-2) === "algorithm" && /^rollout_(is|rs)(_|$)/.test(path.at(-1) ?? ""))
    .map((entry) => ({
      severity: "error" as const,
      code: "old-name",
      ...at(entry),
      message: `${entry.key} is where earlier versions had it`,
      why: "the settings moved to algorithm.rollout_correction; hydra refuses a key that is not in its struct",
      source: "verl/trainer/config/algorithm.py RolloutCorrectionConfig",
      instead: `algorithm.rollout_correction.${entry.path.at(-1)}`,
    }));

/** YAML 1.1, hydra and Python's float drop `_` between digits. */
const underscores: LintRule = ({ found, at }) =>
  ["rollout_is_threshold", "rollout_rs_threshold"].flatMap((name) => {
    const entry = found.get(name);
    if (
      !entry ||
      entry.quoted ||
      typeof entry.value !== "number" ||
      !/^[\d._]*\d_\d[\d._]*$/.test(entry.text)
    )
      return [];
    return [
      {
        severity: "error" as const,
        code: "read-as-number",
        ...at(entry),
        message: `${entry.key}: ${entry.text} without quotes is the number ${entry.value}, not a lower and an upper bound`,
        why: "YAML 1.1 and hydra take _ between digits for a thousands separator",
        source: `${HELPER} _parse_rollout_is_threshold`,
        instead: `"${entry.text}" in quotes (in a shell: '${name}="${entry.text}"')`,
      },
    ];
  });

const dataclassDefault: LintRule = ({ document, found, at }) => {
  if (document.callee !== "RolloutCorrectionConfig" || found.has("rollout_is")) return [];
  return [
    {
      severity: "warning",
      code: "default-surprises",
      ...at(undefined),
      message:
        "rollout_is is not given, and RolloutCorrectionConfig defaults to sequence weights truncated at 2",
      why: "the YAML defaults to null, where nothing is corrected",
      source: "verl/trainer/config/algorithm.py RolloutCorrectionConfig",
      instead: 'rollout_is=None or rollout_is="token", explicitly',
    },
  ];
};

function corrects({ settings }: LintContext): boolean {
  return settings.rollout_is !== null || settings.rollout_rs !== null;
}

export const verlDialect: Dialect = {
  preset: (view) => (isRolloutDppo(view) ? "verl-dppo" : "verl"),
  since: OPTIONS,
  sections: ["rollout_correction", ""],
  callees: ["RolloutCorrectionConfig"],
  closedCallees: ["RolloutCorrectionConfig"],
  example: "rollout_correction.*",
  marks: [
    /^algorithm\.rollout_(is|rs)/,
    /(^|\.)actor_rollout_ref\.actor\./,
    /(^|\.)actor_rollout_ref\.(rollout|model)\./,
    /^algorithm\.(adv_estimator|use_kl_in_reward|norm_adv_by_std_in_grpo)/,
    /(^|\.)rollout_correction(\.|$)/,
    /^trainer\.(n_gpus_per_node|test_freq|total_epochs|rollout_data_dir)/,
  ],
  textMarks: [/verl\.trainer\.main_ppo/, /from verl\b/],
  knownKeys: [
    // The DPPO preset has other settings, and the same section.
    ...verl.parameters.map(({ name }) => name),
    "bypass_mode",
    "loss_type",
    "debug_rollout_actor_probs",
    "rollout_is_level",
    "rollout_is_mode",
    "rollout_is_veto_threshold",
    "rollout_is_threshold_lower",
    "rollout_token_veto_threshold",
    "rollout_rs_threshold_lower",
    "use_policy_gradient",
    "bypass_old_logprob_for_rollout",
  ],
  defaults: ({ document }) =>
    document.callee === "RolloutCorrectionConfig" ? { rollout_is: "sequence" } : {},
  collect: (view) =>
    Object.fromEntries(
      DPPO_PARAMETERS.flatMap(({ name }) => {
        const entry = view.get(`actor.${name}`) ?? view.get(`policy_loss.${name}`);
        return entry?.value === undefined ? [] : [[name, { value: entry.value, entry }]];
      }),
    ),
  effective: (context, correction) => {
    const { get } = context;
    if (isFalse(get("rollout.calculate_log_probs"))) return { steps: [] };
    if (isRolloutDppo(context)) return correction;
    if (!isTrue(get("bypass_mode")) || (get("loss_type")?.value ?? "ppo_clip") !== "ppo_clip")
      return correction;
    return { steps: correction.steps.filter(({ action }) => action === "mask" || action === "veto") };
  },
  otherNames: [
    {
      ...STRUCT,
      until: { version: "0.6.1", date: "2025-11-14" },
      names: {
        rollout_is_level: "rollout_is: token or sequence; for geometric: rollout_rs: seq_mean_k1",
        rollout_is_mode:
          "truncate: rollout_is_threshold as a number; mask: rollout_rs with rollout_rs_threshold",
        rollout_is_veto_threshold: "rollout_rs: seq_max_k2 or token_k1; the veto was removed",
        rollout_is_threshold_lower: 'rollout_is_threshold: "lower_upper" (IcePop)',
        tis_imp_ratio_cap: "algorithm.rollout_correction: {rollout_is: token, rollout_is_threshold: …}",
        "rollout_correction.bypass_old_logprob_for_rollout": "bypass_mode: true",
      },
    },
    {
      ...STRUCT,
      until: { version: "0.7.0", date: "2026-01-05" },
      names: { "rollout_correction.use_policy_gradient": "loss_type: reinforce" },
    },
    {
      ...STRUCT,
      until: OPTIONS,
      names: {
        rollout_token_veto_threshold: "rollout_rs: seq_max_k2 or token_k1; the veto was removed",
        rollout_rs_threshold_lower:
          'rollout_rs_threshold: "lower_upper" (for k1: bounds on π_rollout/π_train)',
      },
    },
  ],
  unknownKeys: {
    effect: "refused",
    source: 'hydra: "Key is not in struct"; verl/trainer/config/algorithm.py RolloutCorrectionConfig',
  },
  rules: [
    withoutLogProbs,
    bypass,
    dppo,
    oldPlace,
    underscores,
    dataclassDefault,
    needsSwitch({
      settings: ["rollout_is_threshold", "rollout_is_batch_normalize"],
      isOff: ({ settings, found }) =>
        settings.rollout_is === null && found.get("rollout_is_threshold")?.value !== 2,
      off: "rollout_is is null, verl's YAML default",
      source: `${HELPER} compute_rollout_correction_and_rejection_mask`,
      instead: "rollout_is: token or sequence",
    }),
    needsSwitch({
      settings: ["rollout_rs_threshold"],
      isOff: ({ settings }) => settings.rollout_rs === null,
      off: "rollout_rs is null",
      source: `${HELPER} compute_rollout_correction_and_rejection_mask`,
      instead: "rollout_rs: one of verl's options, for instance seq_mean_k1",
    }),
  ],
};
