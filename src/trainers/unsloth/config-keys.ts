/**
 * Unsloth's config keys: TRL's GRPOConfig, with another default and environment variables that override it.
 *
 * @module
 */
import type { Entry } from "../shared/config-entry.ts";
import { type ConfigView, type Dialect, isTrue, type LintRule } from "../shared/dialect.ts";
import type { Setting } from "../shared/preset.ts";
import { isNeutral } from "../shared/sampling.ts";
import { trlDialect } from "../trl/config-keys.ts";

const ZOO = "unsloth_zoo/rl_replacements.py";
const DEFAULTS = "unsloth/models/rl.py";

/** `export UNSLOTH_GRPO_X=y` of a shell, `os.environ["UNSLOTH_GRPO_X"] = "y"` of Python. */
const VARIABLE = /UNSLOTH_GRPO_([A-Z_]+)["'\])]*\s*[=:,]\s*["']?([^\s"'#),]+)/;

const PREFIX = "UNSLOTH_GRPO_";
const RS = "ROLLOUT_RS";
const THRESHOLD = "ROLLOUT_RS_THRESHOLD";
const SUPPORT = "TRUNCATED_SUPPORT";

function variables({ text }: ConfigView): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>();
  for (const [at, line] of text.split("\n").entries()) {
    const [, name, value] = VARIABLE.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const key = `${PREFIX}${name}`;
    found.set(name, { path: [key], key, value, text: value, quoted: false, line: at + 1 });
  }
  return found;
}

/** `0.999_1.001`: either side may be empty, and the mark is required. */
function clipOf(entry: Entry): { readonly lower: number | null; readonly upper: number | null } | undefined {
  const [, lower = "", upper = ""] = /^([\d.e-]*)_([\d.e-]*)$/i.exec(entry.text) ?? [];
  if (lower === "" && upper === "") return undefined;
  return { lower: lower === "" ? null : Number(lower), upper: upper === "" ? null : Number(upper) };
}

const clip: LintRule = (context) => {
  const entry = variables(context).get("VLLM_IS_CLIP");
  if (!entry || clipOf(entry)) return [];
  return [
    {
      severity: "error",
      code: "refused",
      ...context.at(entry),
      message: `Unsloth stops: ${entry.key} is lower_upper, and ${entry.text} has no _`,
      source: `${ZOO} grpo_parse_is_clip`,
      instead: `${entry.key}=_${entry.text} for an upper bound`,
    },
  ];
};

/** The switch that TRL has on and Unsloth off. */
const switchedOff: LintRule = (context) => {
  const { found, settings, at } = context;
  if (settings.vllm_importance_sampling_correction === true) return [];
  const own = variables(context);
  const written = [
    found.get("vllm_importance_sampling_mode"),
    ...["VLLM_IS_MODE", "VLLM_IS_CLIP"].map((name) => own.get(name)),
  ].find(Boolean);
  if (!written) return [];
  return [
    {
      severity: "error",
      code: "not-switched-on",
      ...at(written),
      message: `${written.key} has no effect: vllm_importance_sampling_correction is False, Unsloth's default (TRL's is True)`,
      source: DEFAULTS,
      instead: "vllm_importance_sampling_correction=True",
    },
  ];
};

const asOld: LintRule = (context) => {
  const entry = variables(context).get("ROLLOUT_LOGPROBS_AS_OLD");
  if (entry?.text !== "1") return [];
  return [
    {
      severity: "warning",
      code: "rollout-as-old",
      ...context.at(entry),
      message: `${entry.key}=1 takes the rollout's log-probs as old ones: PPO's clipped ratio corrects, and no weight multiplies the loss`,
      source: `${ZOO} grpo_rollout_logps_as_old`,
    },
  ];
};

/** Verl's rejection options need a threshold. */
const rejection: LintRule = (context) => {
  const own = variables(context);
  const entry = own.get(RS);
  if (!entry || own.has(THRESHOLD)) return [];
  return [
    {
      severity: "error",
      code: "refused",
      ...context.at(entry),
      message: `Unsloth stops: ${entry.key} needs ${PREFIX}${THRESHOLD}`,
      source: `${ZOO} grpo_parse_rollout_rs`,
      instead: `${PREFIX}${THRESHOLD}=…`,
    },
  ];
};

const FILTERS = ["top_p", "top_k", "min_p"] as const;

/** Whether the trainer scores over the tokens that the filters kept, which it does by itself unless it is told not to. */
const support: LintRule = (context) => {
  const entry = variables(context).get(SUPPORT);
  if (entry === undefined) return [];
  const isOff = /^(0|false|no|off)$/i.test(entry.text);
  const filters = FILTERS.flatMap((name) => {
    const set = context.get(name);
    return typeof set?.value === "number" && !isNeutral(name, set.value) ? [`${set.key} ${set.value}`] : [];
  });
  const isBiased = isOff && filters.length > 0;
  return [
    {
      severity: isBiased ? "warning" : "note",
      code: "truncated-support",
      ...context.at(entry),
      message: `${entry.key}=${entry.text}: ${isOff ? "the trainer scores over the whole vocabulary even where the sampler kept fewer tokens" : "the trainer scores over the tokens that the sampler kept (top_p, top_k, min_p)"}`,
      ...(isBiased && { why: `with ${filters.join(", ")} the mean ratio is the kept mass, not 1` }),
      source: `${ZOO} grpo_truncated_support_kwargs`,
      ...(isBiased && { instead: `${entry.key}=1` }),
    },
  ];
};

const { since: _, ...ofTrl } = trlDialect;

const VARIABLES = [
  "VLLM_IS_MODE",
  "VLLM_IS_CLIP",
  THRESHOLD,
  "ROLLOUT_LOGPROBS_AS_OLD",
  SUPPORT,
  "ROUTING_REPLAY",
];

export const unslothDialect: Dialect = {
  ...ofTrl,
  preset: () => "unsloth",
  inside: "trl",
  example: "UNSLOTH_GRPO_VLLM_IS_MODE",
  names: { rollout_rs: `${PREFIX}${RS}` },
  knownKeys: [...ofTrl.knownKeys, ...VARIABLES.map((name) => `${PREFIX}${name}`)],
  textMarks: [/\b(from|import) unsloth\b/, /UNSLOTH_GRPO_/],
  defaults: () => ({ vllm_importance_sampling_correction: false }),
  collect: (view) => {
    const own = variables(view);
    const entries: Record<string, { readonly value: Setting; readonly entry: Entry }> = {
      ...trlDialect.collect?.(view),
    };
    const [mode, bounds, rs] = ["VLLM_IS_MODE", "VLLM_IS_CLIP", RS].map((name) => own.get(name));
    if (mode) entries.vllm_importance_sampling_mode = { value: mode.text, entry: mode };
    const clipped = bounds && clipOf(bounds);
    if (clipped) {
      entries.vllm_importance_sampling_clip_min = { value: clipped.lower, entry: bounds };
      entries.vllm_importance_sampling_clip_max = { value: clipped.upper, entry: bounds };
    }
    if (rs) entries.rollout_rs = { value: rs.text, entry: rs };
    return entries;
  },
  effective: (context, correction) =>
    variables(context).get("ROLLOUT_LOGPROBS_AS_OLD")?.text === "1" || !isTrue(context.get("use_vllm"))
      ? { steps: correction.steps.filter((step) => step.action === "zero" && step.measure !== "weight") }
      : correction,
  rules: [clip, rejection, switchedOff, asOld, support],
};
