/**
 * verl's DPPO losses where old log-probs are the rollout's (bypass mode of the v1 trainer): then their ratio and their
 * trust region are against the rollout, which makes them the correction. What they read of the policy is that of the
 * first micro-batch, before any update.
 *
 * Source: verl 0.9.1 verl/trainer/ppo/core_algos.py compute_policy_loss_dppo_tv, compute_policy_loss_dppo_kl.
 *
 * @module
 */
import type { Correction, Measure, Reject, Step } from "../neutral/correction.ts";
import { Moments } from "../shared/moments.ts";
import type { BatchMetrics, Parameter, Preset, Settings, Trap } from "../shared/preset.ts";
import { readNumber, requiredNumber } from "../shared/read-setting.ts";
import { firstExpressing, plainForm } from "../shared/same-effect.ts";
import { VERL_BOUND } from "./settings.ts";

/** Added to the probabilities of other tokens in the logarithm. */
const KL_EPSILON = 1e-8;
/** The paper caps the ratio far away, where it biases least (section 5.4, as quoted in the code). */
const ADVISED_CAP = 20;

const bound = (name: string, fallback: number, meaning: string): Parameter => ({
  name,
  kind: "number",
  fallback,
  meaning,
});

/** Keys of `actor_rollout_ref.actor`, but for `loss_mode`, which is in its `policy_loss`. */
export const DPPO_PARAMETERS: readonly Parameter[] = [
  {
    name: "loss_mode",
    kind: "text",
    fallback: "dppo_tv",
    choices: ["dppo_tv", "dppo_kl"],
    meaning: "drop tokens by p_trainer − p_rollout, or by binary KL(rollout ‖ trainer)",
  },
  bound("clip_ratio", 0.2, "both bounds where they are null; they are 0.2 in verl's YAML"),
  bound("clip_ratio_low", 0.2, "bound where the advantage is not positive: a probability, or nats"),
  bound("clip_ratio_high", 0.2, "bound where the advantage is positive: a probability, or nats"),
  bound("clip_ratio_c", 3, "cap of the token ratio"),
];

/** DPPO-Binary-TV and DPPO-Binary-KL (https://arxiv.org/abs/2602.04879). */
export const verlDppo: Preset = {
  name: "verl-dppo",
  trainer: "verl",
  summary: "losses dppo_tv, dppo_kl in bypass mode: capped token ratios; drops tokens that moved too far",
  source: "verl-project/verl verl/trainer/ppo/core_algos.py of 0.9.1; bypass mode as @ 1dda039b",
  parameters: DPPO_PARAMETERS,

  correction(settings: Settings): Correction {
    return {
      weight: { level: "token", aggregation: "sum", logBound: VERL_BOUND },
      steps: [
        { action: "truncate", upper: requiredNumber("verl-dppo", settings, "clip_ratio_c") },
        ...dropSteps(
          settings.loss_mode === "dppo_kl",
          readThreshold(settings, "high"),
          readThreshold(settings, "low"),
        ),
      ],
    };
  },

  traps: findTraps,
  metrics: (settings) => dppoMetrics(settings),

  express(correction) {
    const { steps } = plainForm(correction);
    const cut = steps.find((step) => step.action === "truncate");
    const zeros = steps.filter((step): step is Reject => step.action === "zero");
    const high = zeros.find(({ when }) => when === "positive");
    const low = zeros.find(({ when }) => when === "not positive");
    if (cut?.action !== "truncate" || cut.upper === undefined || high?.upper === undefined || !low)
      return undefined;
    return firstExpressing(verlDppo, correction, [
      {
        loss_mode: low.upper === undefined ? "dppo_tv" : "dppo_kl",
        clip_ratio_high: high.upper,
        clip_ratio_low: low.upper ?? -(low.lower ?? 0),
        clip_ratio_c: cut.upper,
      },
    ]);
  },

  config(settings) {
    const [low, high] = [readThreshold(settings, "low"), readThreshold(settings, "high")];
    const actor = [
      `    policy_loss:\n      loss_mode: ${settings.loss_mode}\n`,
      `    clip_ratio_low: ${low}\n    clip_ratio_high: ${high}\n    clip_ratio_c: ${settings.clip_ratio_c}\n`,
    ];
    return {
      language: "yaml",
      place: "the trainer's YAML (ppo_trainer.yaml), with trainer.use_v1: true",
      text: `actor_rollout_ref:\n  actor:\n${actor.join("")}algorithm:\n  rollout_correction:\n    bypass_mode: true\n`,
    };
  },
};

function readThreshold(settings: Settings, side: "low" | "high"): number {
  return readNumber(settings, `clip_ratio_${side}`) ?? requiredNumber("verl-dppo", settings, "clip_ratio");
}

/** By KL, only tokens whose update takes the policies further apart are dropped; NaN is dropped by both. */
function dropSteps(byKl: boolean, high: number, low: number): Step[] {
  const at = { level: "token", aggregation: "sum" } as const;
  if (!byKl) {
    const measure: Measure = { statistic: "prob_diff", ...at };
    return [
      { action: "zero", measure, upper: high, when: "positive" },
      { action: "zero", measure, lower: -low, when: "not positive" },
    ];
  }
  const measure: Measure = { statistic: "binary_kl", ...at, restShift: KL_EPSILON };
  const only = "diverging tokens";
  return [
    { action: "zero", measure, upper: high, when: "positive", only },
    { action: "zero", measure, upper: low, when: "not positive", only },
  ];
}

function findTraps(settings: Settings): readonly Trap[] {
  const byKl = settings.loss_mode === "dppo_kl";
  const traps: Trap[] = [
    {
      says: `clip_ratio_low and clip_ratio_high are ${byKl ? "nats of binary KL" : "differences of probabilities"} here, not a clip range of ratios`,
      code: "not-a-ratio",
      setting: ["clip_ratio_low", "clip_ratio_high", "loss_mode"],
    },
    {
      says: `${settings.loss_mode} takes its ratio of the policy being updated against the rollout: later updates on a batch move it further, and what a dump shows is the first one`,
      setting: "loss_mode",
    },
  ];
  const cap = readNumber(settings, "clip_ratio_c");
  if (cap !== undefined && cap < ADVISED_CAP) {
    traps.push({
      says: `clip_ratio_c caps the ratio at ${cap}; the code advises a large cap, such as its fallback of ${ADVISED_CAP}, because truncation biases the gradient`,
      setting: "clip_ratio_c",
    });
  }
  return traps;
}

/**
 * `actor/pg_clipfrac`: share of the tokens that the trust region drops; `actor/pg_clipfrac_lower`: share that it keeps
 * with a capped ratio; `actor/ppo_kl`: mean −Δ (clamped to ±20 nats). Here the micro-batch is taken to be the whole
 * batch.
 */
function dppoMetrics(settings: Settings): BatchMetrics {
  const low = readThreshold(settings, "low");
  const cap = readNumber(settings, "clip_ratio_c") ?? Number.POSITIVE_INFINITY;
  const [dropped, capped, kl] = [new Moments(), new Moments(), new Moments()];
  return {
    add({ rollout, trainer, mask, advantages }, { weights, rawWeights, steps }) {
      const { values } = steps.at(-1)!.measured!;
      for (let t = 0; t < mask.length; t++) {
        if (mask[t] === 0) continue;
        const delta = trainer[t]! - rollout[t]!;
        // Without an advantage the gradient is 0 either way, and verl counts what it would drop.
        const unsigned = advantages![t] === 0 && delta < 0 && values[t]! > low;
        const isDropped = weights![t] === 0 || unsigned;
        dropped.add(isDropped ? 1 : 0);
        capped.add(!isDropped && rawWeights![t]! > cap ? 1 : 0);
        kl.add(-Math.max(-VERL_BOUND, Math.min(delta, VERL_BOUND)));
      }
    },
    finish: () => ({
      "actor/pg_clipfrac": dropped.mean,
      "actor/pg_clipfrac_lower": capped.mean,
      "actor/ppo_kl": kl.mean,
    }),
  };
}
