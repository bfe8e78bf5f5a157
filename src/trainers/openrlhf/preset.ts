import { UsageError } from "../../core/base/index.ts";
import type { AppliedCorrection, CorrectionBlock } from "../neutral/apply.ts";
import type { Bounds, Correction, Figure, Measure, Reject, Step, Truncate } from "../neutral/correction.ts";
import { Moments } from "../shared/moments.ts";
import type { BatchMetrics, Parameter, Preset, Settings, Trap } from "../shared/preset.ts";
import { firstExpressing, plainForm } from "../shared/same-effect.ts";

const parameters: readonly Parameter[] = [
  {
    name: "is_correction_level",
    kind: "text",
    fallback: "token",
    choices: ["off", "token", "seq"],
    meaning:
      "what is judged: each token, or each sequence by its mean (geometric for ratios); off by default",
  },
  {
    name: "is_correction_mode",
    kind: "text",
    fallback: "mask",
    choices: ["mask", "clip"],
    meaning:
      "mask gives weight 0 to what is outside; clip clamps the ratio of a token (level token, gating ratio)",
  },
  {
    name: "is_correction_gating",
    kind: "text",
    fallback: "ratio",
    choices: ["ratio", "binary_kl", "tv"],
    meaning:
      "what is compared with the threshold: ρ, or between p_rollout and p_trainer the binary KL or |Δp|",
  },
  {
    name: "is_correction_threshold",
    kind: "pair",
    fallback: [0.5, 5],
    meaning: "LOW HIGH; a single number is HIGH, with LOW 0; binary_kl (nats) and tv (a fraction) want LOW 0",
  },
  {
    name: "policy_loss_type",
    kind: "text",
    fallback: "ppo",
    choices: ["ppo", "gspo"],
    meaning: "gspo takes its own ratio against rollout log-probs and ignores mode, gating and threshold",
  },
];

/**
 * What a gate measures. Probabilities are clamped 1e-6 away from 0 and 1, for TV too, which moves it by at most that much
 * and is left out.
 */
const FIGURES: Readonly<Record<string, Figure>> = {
  ratio: { statistic: "ratio" },
  binary_kl: { statistic: "binary_kl", probBound: 1e-6 },
  tv: { statistic: "abs_prob_diff" },
};

/** `is_filter_ratio` of PolicyLoss on random float32 log-probs, with normal Δ and a threshold of 0.05. */
const ROUNDED = "in a trial 2 % of tokens where Δ spreads by 0.02 nats, 20 % at 0.001";

/** OpenRLHF's correction in PolicyLoss, since 0.11.2. */
export const openrlhf: Preset = {
  name: "openrlhf",
  trainer: "OpenRLHF",
  summary:
    "--algo.advantage.is_correction_*: a gate on ratio, binary KL or TV per token or sequence, or a clamp",
  source: "OpenRLHF/OpenRLHF openrlhf/models/loss.py, 0.11.2",
  parameters,

  correction(settings: Settings): Correction {
    if (settings.is_correction_level === "off") return { steps: [] };
    refuse(settings);
    if (settings.policy_loss_type === "gspo")
      return { weight: { level: "sequence", aggregation: "mean" }, steps: [] };
    return { weight: { level: "token", aggregation: "sum" }, steps: [gate(settings)] };
  },

  traps: (settings) => openrlhfTraps(settings),

  metrics: gateMetrics,

  express(correction) {
    const { weight, steps } = plainForm(correction);
    if (!weight) return firstExpressing(openrlhf, correction, [{ is_correction_level: "off" }]);
    const step = steps.find(
      (each): each is Truncate | Reject => each.action === "truncate" || each.action === "zero",
    );
    const is_correction_threshold = [step?.lower ?? 0, step?.upper ?? Number.POSITIVE_INFINITY];
    return firstExpressing(openrlhf, correction, [
      { is_correction_mode: "clip", is_correction_threshold },
      ...["ratio", "binary_kl", "tv"].flatMap((is_correction_gating) =>
        ["token", "seq"].map((is_correction_level) => ({
          is_correction_level,
          is_correction_gating,
          is_correction_threshold,
        })),
      ),
      { policy_loss_type: "gspo" },
    ]);
  },

  config(settings) {
    const { is_correction_level, is_correction_mode, is_correction_gating, policy_loss_type } = settings;
    const { lower, upper } = thresholds(settings);
    const given = [
      ["is_correction_level", is_correction_level],
      ["is_correction_mode", is_correction_mode],
      ["is_correction_gating", is_correction_gating],
      ["is_correction_threshold", lower === 0 ? upper : `${lower} ${upper}`],
    ];
    const lines =
      is_correction_level === "off" ? [] : given.map(([name, value]) => `--algo.advantage.${name} ${value}`);
    if (policy_loss_type !== "ppo") lines.push(`--actor.policy_loss_type ${policy_loss_type}`);
    return {
      language: "flags",
      place: "python -m openrlhf.cli.train_ppo_ray, 0.11.2 or later",
      text: lines.map((line) => `${line}\n`).join(""),
    };
  },
};

/** The checks of PolicyLoss.__init__ and of train_ppo_ray.py, with their messages. */
function refuse(settings: Settings): void {
  const { lower, upper } = thresholds(settings);
  const { is_correction_level: level, is_correction_gating: gating } = settings;
  if (settings.is_correction_mode === "clip" && (level === "seq" || gating !== "ratio"))
    throw new UsageError(
      'OpenRLHF refuses these settings: "is_correction_mode=clip requires is_correction_level=token and is_correction_gating=ratio"',
    );
  if (gating !== "ratio" && lower > 0)
    throw new UsageError(
      `OpenRLHF refuses is_correction_threshold ${lower} ${upper}: "is_correction_gating=${String(gating)} takes an upper bound only (a single delta)"`,
      { hint: `is_correction_threshold ${upper}` },
    );
}

function gate(settings: Settings): Step {
  const bounds = thresholds(settings);
  if (settings.is_correction_mode === "clip") return { action: "truncate", ...bounds };
  const seq = settings.is_correction_level === "seq";
  if (settings.is_correction_gating === "ratio" && !seq)
    return { action: "zero", measure: "weight", ...bounds };
  const figure = FIGURES[String(settings.is_correction_gating)]!;
  const measure: Measure = seq
    ? { ...figure, level: "sequence", aggregation: "mean" }
    : { ...figure, level: "token", aggregation: "sum" };
  // A divergence is never below 0.
  const limits = figure.statistic === "ratio" ? bounds : { upper: bounds.upper };
  return { action: "zero", measure, ...limits };
}

function thresholds(settings: Settings): Required<Bounds> {
  const value = settings.is_correction_threshold;
  const [lower, upper] = Array.isArray(value) ? (value as readonly number[]) : [];
  if (lower === undefined || upper === undefined)
    throw new UsageError("is_correction_threshold is missing: OpenRLHF takes HIGH or LOW HIGH");
  if (lower > upper)
    throw new UsageError(
      `is_correction_threshold is ${lower} ${upper}; OpenRLHF reads it as LOW HIGH, and the first is above the second`,
      { likely: "the bounds are in another trainer's order: xtuner has (upper, lower)" },
    );
  return { lower, upper };
}

function openrlhfTraps(settings: Settings): readonly Trap[] {
  const { is_correction_level: level, is_correction_mode: mode, is_correction_gating: gating } = settings;
  if (level === "off")
    return [
      {
        says: "is_correction_level off: nothing is corrected, and neither vllm_kl nor is_filter_ratio is logged",
        setting: "is_correction_level",
      },
    ];
  if (settings.policy_loss_type === "gspo")
    return [
      {
        says: "gspo ignores is_correction_mode, _gating and _threshold: its ratio is the geometric mean of policy over rollout, which PPO clipping then bounds; vllm_kl is not logged",
        severity: "drop",
        code: "not-switched-on",
      },
    ];
  const { lower, upper } = thresholds(settings);
  const traps: Trap[] = [
    { says: "vllm_kl is the mean of rollout − trainer (k1): it can be negative and hides symmetric noise" },
  ];
  if (mode === "clip" && lower > 0)
    traps.push({
      says: `clip clamps both sides: a ratio under ${lower} is raised to ${lower}, unlike the one-sided TIS of the paper`,
      severity: "warning",
      code: "clamps-both-sides",
      setting: "is_correction_threshold",
    });
  if (mode === "mask")
    traps.push({
      says: "mask sets the weight to 0 and leaves the mask: what is rejected still counts in the loss's denominator",
    });
  if (gating !== "ratio")
    traps.push({
      says: `is_correction_threshold is ${gating === "tv" ? "a difference of probabilities" : "nats of binary KL"}, not a ratio`,
      code: "not-a-ratio",
      setting: "is_correction_threshold",
    });
  if (level === "token" && gating === "binary_kl" && lower === 0)
    traps.push({
      says: `in float32 the binary KL of a token on which both policies nearly agree often rounds to less than 0, below the gate's low bound, and the token is dropped: ${ROUNDED}; is_correction_threshold -0.001 ${upper} keeps them`,
      severity: "warning",
      code: "rounds-below-zero",
      setting: ["is_correction_threshold", "is_correction_gating"],
    });
  if (level === "seq" || gating !== "ratio")
    traps.push({
      says: "what passes the gate keeps its raw, untruncated token ratio",
      severity: "warning",
      code: "raw-weights",
      setting: ["is_correction_level", "is_correction_gating"],
    });
  if (level === "seq" && gating === "ratio" && (lower < 0.9 || upper > 1.1))
    traps.push({
      says: `geometric means lie near 1, so ${lower} to ${upper} rejects next to nothing; published bounds are 0.999 to 1.002`,
    });
  return traps;
}

/**
 * `vllm_kl`: mean of rollout − trainer over tokens with mask 1, nats. `is_filter_ratio`: the share of such tokens, or at
 * level seq of all sequences, that is outside the threshold, clipped ones too. Both only with PPO's loss. Source:
 * models/loss.py PolicyLoss.forward, trainer/ray/ppo_actor.py, 0.11.2.
 */
function gateMetrics(settings: Settings): BatchMetrics {
  const gap = new Moments();
  const filtered = new Moments();
  const bounds = thresholds(settings);
  return {
    add(block, applied) {
      const { rollout, trainer, mask } = block;
      for (let t = 0; t < mask.length; t++) if (mask[t] !== 0) gap.add(rollout[t]! - trainer[t]!);
      for (const outside of listOutside(block, applied, bounds)) filtered.add(outside);
    },
    finish() {
      if (settings.is_correction_level === "off" || settings.policy_loss_type !== "ppo") return {};
      return {
        vllm_kl: gap.count > 0 ? gap.mean : Number.NaN,
        is_filter_ratio: filtered.count > 0 ? filtered.mean : Number.NaN,
      };
    },
  };
}

/** 1 for every unit of the gate that is outside its bounds, 0 for the others. A sequence without own tokens is outside. */
function listOutside(
  { mask, offsets }: CorrectionBlock,
  { rawWeights, steps: [outcome] }: AppliedCorrection,
  { lower, upper }: Required<Bounds>,
): number[] {
  const own = (t: number): boolean => mask[t] !== 0;
  if (outcome?.measured === undefined)
    return [...(rawWeights ?? [])].flatMap((ratio, t) =>
      own(t) ? Number(ratio < lower || ratio > upper) : [],
    );
  const { segments, rejected } = outcome.measured;
  if (segments.level === "token") return [...rejected].flatMap((bit, t) => (own(t) ? bit : []));
  return [...rejected].map((bit, row) =>
    mask.subarray(offsets[row], offsets[row + 1]).every((kept) => kept === 0) ? 1 : bit,
  );
}
