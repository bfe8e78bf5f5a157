import { UsageError } from "../../../core/base/index.ts";
import type { Bounds, Correction, Measure, Reject, Truncate } from "../../neutral/correction.ts";
import { Moments } from "../../shared/moments.ts";
import type { BatchMetrics, Parameter, Preset, Settings, Trap } from "../../shared/preset.ts";
import { firstExpressing, plainForm } from "../../shared/same-effect.ts";

const parameters: readonly Parameter[] = [
  {
    name: "is_correction_enable",
    kind: "boolean",
    fallback: true,
    meaning: "multiply the loss by exp(trainer − rollout) per token",
  },
  {
    name: "is_correction_threshold",
    kind: "pair",
    fallback: [0.5, 5],
    meaning: "LOW HIGH bounds of the ratio",
  },
  {
    name: "is_correction_type",
    kind: "text",
    fallback: "tis",
    choices: ["tis", "icepop", "seq-mask-tis"],
    meaning: "clamp to both bounds; zero outside them; zero sequences whose geometric mean is outside",
  },
  {
    name: "policy_loss_type",
    kind: "text",
    fallback: "ppo",
    choices: ["ppo", "gspo"],
    meaning: "gspo takes its own ratio against rollout log-probs and ignores type and threshold",
  },
];

const GEOMETRIC_MEAN: Measure = { statistic: "ratio", level: "sequence", aggregation: "mean" };

/** OpenRLHF's vLLM importance-sampling correction in PolicyLoss, before 0.11.2. */
export const openrlhfEarlier: Preset = {
  name: "openrlhf-0.11.1",
  trainer: "OpenRLHF",
  summary:
    "before 0.11.2: --algo.advantage.is_correction_type tis (two-sided clamp), icepop, or seq-mask-tis",
  source: "OpenRLHF/OpenRLHF openrlhf/models/loss.py, 3c3be623",
  until: "0.11.2",
  parameters,

  correction(settings: Settings): Correction {
    if (settings.is_correction_enable !== true) return { steps: [] };
    if (settings.policy_loss_type === "gspo")
      return { weight: { level: "sequence", aggregation: "mean" }, steps: [] };
    const bounds = thresholds(settings);
    const cut: Truncate = { action: "truncate", ...bounds };
    const icepop: Reject = { action: "zero", measure: "weight", ...bounds };
    const sequences: Reject = { action: "zero", measure: GEOMETRIC_MEAN, ...bounds };
    const step = { tis: cut, icepop, "seq-mask-tis": sequences }[String(settings.is_correction_type)]!;
    return { weight: { level: "token", aggregation: "sum" }, steps: [step] };
  },

  traps(settings: Settings): readonly Trap[] {
    if (settings.is_correction_enable !== true) {
      return [
        {
          says: "without is_correction_enable nothing is corrected and vllm_kl is not logged",
          setting: "is_correction_enable",
        },
      ];
    }
    if (settings.policy_loss_type === "gspo") {
      return [
        {
          says: "gspo ignores is_correction_type and is_correction_threshold: its ratio is the geometric mean of policy over rollout, which PPO clipping then bounds; vllm_kl is not logged",
          severity: "drop",
          code: "not-switched-on",
        },
      ];
    }
    const { lower, upper } = thresholds(settings);
    const type = settings.is_correction_type;
    const traps: Trap[] = [
      { says: "vllm_kl is the mean of rollout − trainer (k1): it can be negative and hides symmetric noise" },
    ];
    if (type === "tis") {
      traps.push({
        says: `tis clamps both sides: a ratio under ${lower} is raised to ${lower}, unlike the one-sided TIS of the paper`,
        severity: "warning",
        code: "clamps-both-sides",
        setting: "is_correction_threshold",
      });
    }
    if (type === "icepop") {
      traps.push({
        says: "icepop multiplies by 0 outside the bounds: the tokens stay in the denominator, and an infinite or NaN ratio makes the loss NaN",
      });
    }
    if (type === "seq-mask-tis") {
      traps.push({
        says: "seq-mask-tis keeps raw, untruncated token ratios in the sequences that it keeps, although its comment says TIS clamp",
        severity: "warning",
        code: "raw-weights",
        setting: "is_correction_type",
      });
      if (lower < 0.9 || upper > 1.1) {
        traps.push({
          says: `geometric means lie near 1, so ${lower} to ${upper} rejects next to nothing; published bounds are 0.999 to 1.002`,
        });
      }
    }
    return traps;
  },

  metrics: vllmKl,

  express(correction) {
    const { weight, steps } = plainForm(correction);
    if (!weight) return firstExpressing(openrlhfEarlier, correction, [{ is_correction_enable: false }]);
    const step = steps.find(
      (each): each is Truncate | Reject => each.action === "truncate" || each.action === "zero",
    );
    const threshold = [step?.lower ?? 0, step?.upper ?? Number.POSITIVE_INFINITY];
    return firstExpressing(openrlhfEarlier, correction, [
      ...["tis", "icepop", "seq-mask-tis"].map((type) => ({
        is_correction_type: type,
        is_correction_threshold: threshold,
      })),
      { policy_loss_type: "gspo" },
    ]);
  },

  config(settings) {
    const { lower, upper } = thresholds(settings);
    const lines =
      settings.is_correction_enable === true
        ? [
            "--algo.advantage.is_correction_enable",
            `--algo.advantage.is_correction_threshold ${lower} ${upper}`,
            `--algo.advantage.is_correction_type ${settings.is_correction_type}`,
          ]
        : [];
    if (settings.policy_loss_type !== "ppo")
      lines.push(`--actor.policy_loss_type ${settings.policy_loss_type}`);
    return {
      language: "flags",
      place: "python -m openrlhf.cli.train_ppo_ray",
      text: lines.map((line) => `${line}\n`).join(""),
    };
  },
};

function thresholds(settings: Settings): Required<Bounds> {
  const value = settings.is_correction_threshold;
  const [lower, upper] = Array.isArray(value) ? (value as readonly number[]) : [];
  if (lower === undefined || upper === undefined) {
    throw new UsageError(
      'is_correction_threshold is missing: OpenRLHF takes "Low and high thresholds", two numbers',
    );
  }
  if (lower > upper) {
    throw new UsageError(
      `is_correction_threshold is ${lower} ${upper}; OpenRLHF reads it as "Low and high thresholds", and the first is above the second`,
      { likely: "the bounds are in another trainer's order: xtuner has (upper, lower)" },
    );
  }
  return { lower, upper };
}

/**
 * `vllm_kl`: mean of rollout − trainer over tokens with mask 1, nats; the token-weighted mean over micro-batches that
 * OpenRLHF takes is the same. Only with the correction on and PPO loss. Source: models/loss.py line 218,
 * trainer/ray/ppo_actor.py line 316.
 */
function vllmKl(settings: Settings): BatchMetrics {
  const gap = new Moments();
  return {
    add({ rollout, trainer, mask }) {
      for (let t = 0; t < mask.length; t++) if (mask[t] !== 0) gap.add(rollout[t]! - trainer[t]!);
    },
    finish() {
      if (settings.is_correction_enable !== true || settings.policy_loss_type !== "ppo") return {};
      return { vllm_kl: gap.count > 0 ? gap.mean : Number.NaN };
    },
  };
}
