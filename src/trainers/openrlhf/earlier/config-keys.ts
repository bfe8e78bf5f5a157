/**
 * OpenRLHF's config keys before 0.11.2, in two generations of the same settings: sections with dots since 0.10.2, flags
 * without sections before.
 *
 * @module
 */
import { type Dialect, type LintRule, needsSwitch } from "../../shared/dialect.ts";
import type { Since } from "../../shared/release.ts";

/** Where the gate replaced switch and type. */
export const GATED: Since = { version: "0.11.2", date: "2026-09-14" };

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

const DOTTED: Since = { version: "0.10.2", date: "2026-04-19" };
/** The flags of before, and what they are called since. */
const FLAT = {
  is_correction_enable: "enable_vllm_is_correction",
  is_correction_threshold: "vllm_is_truncated_threshold",
  is_correction_type: "vllm_is_correction_type",
};
const STOPS = {
  effect: "refused",
  why: "argparse stops at an argument that it does not know",
  source: ARGUMENTS,
} as const;

/** What the gate of 0.11.2 replaced, as keys of before. */
const GATE = {
  is_correction_level:
    "--algo.advantage.is_correction_enable, and --algo.advantage.is_correction_type seq-mask-tis for level seq",
  is_correction_mode: "--algo.advantage.is_correction_type: tis for clip, icepop for mask",
  is_correction_gating: "nothing: ratios are compared with the bounds",
};

function rulesFor(enable: string, ppo: string): readonly LintRule[] {
  return [
    order,
    needsSwitch({
      settings: ["is_correction_type", "is_correction_threshold"],
      isOff: ({ settings }) => settings.is_correction_enable === false,
      off: `${enable} is not given`,
      source: LOSS,
      instead: enable,
    }),
    needsSwitch({
      settings: ["is_correction_type", "is_correction_threshold"],
      isOff: ({ settings }) => settings.is_correction_enable === true && settings.policy_loss_type === "gspo",
      off: "with policy_loss_type gspo the correction only changes which log-probs the ratio is taken against",
      source: LOSS,
      instead: `${ppo} ppo, or omit type and threshold`,
    }),
  ];
}

const shared = {
  preset: () => "openrlhf-0.11.1",
  callees: [],
  textMarks: [/openrlhf/i],
  defaults: () => ({ is_correction_enable: false }),
  unknownKeys: { effect: "refused", source: `${ARGUMENTS}: argparse, "unrecognized arguments"` },
} satisfies Partial<Dialect>;

/** 0.10.2 to 0.11.1. */
export const dottedDialect: Dialect = {
  ...shared,
  since: DOTTED,
  sections: ["algo.advantage", "actor"],
  example: "--algo.advantage.is_correction_type",
  marks: [
    /^algo\.(advantage|kl)\./,
    /^(vllm|train|actor|rollout)\.(num_engines|async_enable|policy_loss_type|n_samples_per_prompt)/,
  ],
  knownKeys: ["estimator", "gamma", "lambd"],
  otherNames: [
    {
      ...STOPS,
      until: DOTTED,
      names: Object.fromEntries([
        ...Object.entries(FLAT).map(([now, before]) => [before, `--algo.advantage.${now}`]),
        ["vllm_is_truncated_threshold", "--algo.advantage.is_correction_threshold low high"],
        ["use_icepop", "--algo.advantage.is_correction_type icepop"],
      ]),
    },
    { ...STOPS, from: GATED, names: GATE },
  ],
  rules: rulesFor("--algo.advantage.is_correction_enable", "--actor.policy_loss_type"),
};

/** Up to 0.10.1. */
export const flatDialect: Dialect = {
  ...shared,
  sections: [""],
  names: FLAT,
  example: "--enable_vllm_is_correction",
  marks: [/^(enable_vllm_is_correction|vllm_is_truncated_threshold|vllm_num_engines)$/],
  knownKeys: ["advantage_estimator", "gamma", "lambd"],
  otherNames: [
    {
      ...STOPS,
      from: DOTTED,
      names: Object.fromEntries(
        Object.entries(FLAT).map(([later, now]) => [`algo.advantage.${later}`, `--${now}`]),
      ),
    },
    {
      ...STOPS,
      from: GATED,
      names: Object.fromEntries(
        Object.keys(GATE).map((name) => [name, "--enable_vllm_is_correction and --vllm_is_correction_type"]),
      ),
    },
  ],
  rules: rulesFor("--enable_vllm_is_correction", "--policy_loss_type"),
};
