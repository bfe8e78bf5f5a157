/**
 * TRL's config keys: how to recognize its configs, and mistakes that only a config can have.
 *
 * @module
 */
import { type ConfigView, type Dialect, isTrue, type LintRule, needsSwitch } from "../shared/dialect.ts";
import { isBefore, type Since } from "../shared/release.ts";

const CONFIG = "trl/trainer/grpo_config.py GRPOConfig";
const TRAINER = "trl/trainer/grpo_trainer.py";
const SETTINGS = [
  "vllm_importance_sampling_mode",
  "vllm_importance_sampling_clip_max",
  "vllm_importance_sampling_clip_min",
];

/** Where two bounds replaced the cap. */
const BOUNDS: Since = { version: "1.6.0", date: "2026-06-11" };
/** Where the KL penalty came to be multiplied by the ratio unless it is asked not to be. */
const BIAS: Since = { version: "1.10.0", date: "2026-08-13" };

const weightedKl: LintRule = ({ get, at, given }) => {
  const beta = get("beta");
  if (typeof beta?.value !== "number" || beta.value === 0 || get("use_bias_correction_kl")) return [];
  if (given !== undefined && isBefore(given, BIAS) === true) return [];
  return [
    {
      severity: "note",
      code: "default-surprises",
      ...at(beta),
      message:
        "use_bias_correction_kl is True by default since 1.10.0: the KL penalty is multiplied by the ratio of the updated policy over the old one",
      source: `${TRAINER}: per_token_kl * coef_1`,
      instead: "use_bias_correction_kl=False for the penalty of earlier releases",
    },
  ];
};

const cap: LintRule = ({ get, at }) => {
  const entry = get("vllm_importance_sampling_cap");
  if (!entry || entry.value === null) return [];
  const max = get("vllm_importance_sampling_clip_max");
  return [
    {
      severity: max ? "error" : "warning",
      code: "old-name",
      ...at(entry),
      message: max
        ? `${entry.key} overrides ${max.key}: clip_max is ${entry.text}, not ${max.text}`
        : `${entry.key} is a deprecated name`,
      why: "__post_init__ copies it over clip_max, whatever that says; it goes in v2.0.0",
      source: CONFIG,
      instead: `vllm_importance_sampling_clip_max=${entry.text}`,
    },
  ];
};

const isAsync = ({ document }: ConfigView): boolean => document.callee === "AsyncGRPOConfig";

/** The asynchronous trainer has none of the settings: its old log-probs are the rollout's. */
const asynchronous: LintRule = (context) => {
  if (!isAsync(context)) return [];
  const { document, found, at } = context;
  const written = document.entries.filter((entry) => [...found.values()].includes(entry));
  return [
    {
      severity: "note",
      code: "rollout-as-old",
      ...at(undefined),
      message:
        "AsyncGRPOTrainer corrects nothing: its clipped ratio is of the updated policy over the rollout, so epsilon and epsilon_high bound mismatch and update together",
      why: "old_log_probs are the server's log-probs",
      source: "trl/experimental/async_grpo/async_grpo_trainer.py",
    },
    ...written.map((entry) => ({
      severity: "error" as const,
      code: "refused",
      ...at(entry),
      message: `AsyncGRPOConfig has no ${entry.key}`,
      why: "an unexpected keyword argument",
      source: "trl/experimental/async_grpo/async_grpo_config.py",
      instead: `omit ${entry.key}, or GRPOConfig with GRPOTrainer`,
    })),
  ];
};

/** Without vLLM there are no sampling log-probs. */
const withoutVllm: LintRule = (context) => {
  if (isAsync(context)) return [];
  const { get, found, at } = context;
  const entry = get("use_vllm");
  const written = ["vllm_importance_sampling_correction", ...SETTINGS]
    .map((name) => found.get(name))
    .find(Boolean);
  if (isTrue(entry) || entry?.unsure || !written || written.value === false) return [];
  return [
    {
      severity: "error",
      code: "not-switched-on",
      ...at(entry ?? written),
      message: `${written.key} has no effect: use_vllm is ${entry ? "False" : "not given, and defaults to False"}`,
      source: `${TRAINER} _generate_and_score_completions: "if self.use_vllm and self.vllm_importance_sampling_correction"`,
      instead: "use_vllm=True",
    },
  ];
};

const lossTypes: LintRule = ({ get, at, settings }) => {
  const entry = get("loss_type");
  if (entry?.value !== "vespo" || settings.vllm_importance_sampling_correction !== true) return [];
  const token = String(settings.vllm_importance_sampling_mode).startsWith("token");
  return [
    {
      severity: token ? "note" : "error",
      code: "loss-type",
      ...at(entry),
      message: token
        ? "with loss_type vespo the ratio enters VESPO's own weights and does not multiply the loss"
        : `TRL stops: VESPO requires token_truncate or token_mask, not ${settings.vllm_importance_sampling_mode}`,
      source: TRAINER,
      ...(!token && { instead: 'vllm_importance_sampling_mode="token_truncate"' }),
    },
  ];
};

const liger: LintRule = ({ get, found, at }) => {
  const threshold = found.get("off_policy_mask_threshold");
  if (!isTrue(get("use_liger_kernel")) || !threshold || threshold.value === null) return [];
  return [
    {
      severity: "error",
      code: "refused",
      ...at(threshold),
      message: "TRL stops: off-policy sequence masking does not work with use_liger_kernel=True",
      source: `${TRAINER} __init__`,
      instead: "use_liger_kernel=False, or off_policy_mask_threshold=None",
    },
  ];
};

export const trlDialect: Dialect = {
  preset: () => "trl",
  since: BOUNDS,
  sections: ["", "training_args", "grpo"],
  callees: ["GRPOConfig", "AsyncGRPOConfig"],
  example: "vllm_importance_sampling_*",
  marks: [
    /(^|\.)vllm_importance_sampling_/,
    // ms-swift and open-instruct also have these.
    /(^|\.)(use_vllm|vllm_mode|max_completion_length)$/,
  ],
  textMarks: [/from trl\b/, /\btrl grpo\b/],
  knownKeys: ["vllm_importance_sampling_cap", "importance_sampling_level", "use_bias_correction_kl"],
  collect: (view): ReturnType<NonNullable<Dialect["collect"]>> => {
    const entry = view.get("vllm_importance_sampling_cap");
    if (entry === undefined || typeof entry.value !== "number") return {};
    return { vllm_importance_sampling_clip_max: { value: entry.value, entry } };
  },
  defaults: (view) => ({ vllm_importance_sampling_correction: !isAsync(view) }),
  effective: ({ get, document }, correction) => {
    const entry = get("use_vllm");
    const off = entry ? entry.value === false : document.callee !== undefined;
    if (!off) return correction;
    return { steps: correction.steps.filter((step) => step.action === "zero" && step.measure !== "weight") };
  },
  unknownKeys: { effect: "refused", source: `${CONFIG}: an unexpected keyword argument` },
  rules: [
    asynchronous,
    weightedKl,
    cap,
    withoutVllm,
    lossTypes,
    liger,
    needsSwitch({
      settings: SETTINGS,
      isOff: (context) => !isAsync(context) && context.settings.vllm_importance_sampling_correction === false,
      off: "vllm_importance_sampling_correction is False",
      source: `${TRAINER} _generate_and_score_completions`,
      instead: "vllm_importance_sampling_correction=True",
    }),
  ],
};

const CAP = "vllm_importance_sampling_cap";

const { since: _, ...withoutSince } = trlDialect;

/** Up to 1.5: an upper bound alone, under another name. */
export const trlEarlierDialect: Dialect = {
  ...withoutSince,
  names: { vllm_importance_sampling_clip_max: CAP },
  knownKeys: ["importance_sampling_level", "use_bias_correction_kl"],
  collect: () => ({}),
  otherNames: [
    {
      from: BOUNDS,
      effect: "refused",
      why: "an unexpected keyword argument",
      source: CONFIG,
      names: {
        vllm_importance_sampling_clip_max: CAP,
        vllm_importance_sampling_clip_min: "nothing: there is no lower bound",
      },
    },
  ],
  rules: trlDialect.rules.filter((rule) => rule !== cap),
};
