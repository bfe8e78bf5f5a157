/**
 * SkyRL's policy losses that correct the mismatch themselves: their own ratio is against the rollout's log-probs
 * (`policy_loss_type` rollout_is and dppo, and cispo with `cispo_anchor` rollout). What they read of the policy is that
 * of the first micro-batch, before any update.
 *
 * Source: skyrl/backends/skyrl_train/utils/ppo_utils.py rollout_is_policy_loss, dppo_policy_loss,
 * compute_policy_loss_cispo, 0.4.0.
 *
 * @module
 */
import { UsageError } from "../../core/base/index.ts";
import type { Bounds, Measure, Reject, Step } from "../neutral/correction.ts";
import { yamlLines, yamlLiteral } from "../shared/literals.ts";
import type { Parameter, Settings, Trap } from "../shared/preset.ts";
import { requiredNumber } from "../shared/read-setting.ts";

/** Added to the probabilities of other tokens in DPPO's logarithm (`eps` in dppo_policy_loss). */
const KL_EPSILON = 1e-8;

const bound = (name: string, fallback: number, meaning: string): Parameter => ({
  name,
  kind: "number",
  fallback,
  meaning,
});

/** Under `trainer.algorithm`, unlike those of `off_policy_correction`. */
export const LOSS_PARAMETERS: readonly Parameter[] = [
  {
    name: "policy_loss_type",
    kind: "text",
    fallback: "regular",
    meaning:
      "the loss; rollout_is and dppo take their ratio against the rollout, as cispo does with cispo_anchor rollout",
  },
  bound("eps_clip_low", 0.2, "rollout_is: weights at or below 1 − this become 0"),
  bound("eps_clip_high", 0.2, "rollout_is: weights at or above 1 + this become 0"),
  {
    name: "cispo.cispo_anchor",
    kind: "text",
    fallback: "old",
    choices: ["old", "rollout"],
    meaning: "cispo: the log-probs that its ratio is against",
  },
  bound("cispo.cispo_eps_clip_low", 1, "cispo: weights are raised to 1 − this"),
  bound("cispo.cispo_eps_clip_high", 4, "cispo: weights are capped at 1 + this"),
  {
    name: "dppo.dppo_type",
    kind: "text",
    fallback: "binary_tv",
    choices: ["binary_tv", "binary_kl"],
    meaning: "dppo: tokens are dropped by p_trainer − p_rollout, or by binary KL(rollout ‖ trainer)",
  },
  bound("dppo.delta_low", 0.2, "dppo: bound where the advantage is negative; 0.05 is advised for binary_kl"),
  bound("dppo.delta_high", 0.2, "dppo: bound where the advantage is positive; 0.05 is advised for binary_kl"),
];

/** The losses whose ratio is against the rollout. */
export type RolloutLoss = "rollout_is" | "dppo" | "cispo";

/** Undefined for every other loss: its ratio is against the trainer's own log-probs. */
export function rolloutLoss(settings: Settings): RolloutLoss | undefined {
  const type = settings.policy_loss_type;
  if (type === "rollout_is" || type === "dppo") return type;
  return type === "cispo" && settings["cispo.cispo_anchor"] === "rollout" ? type : undefined;
}

/**
 * What the loss does to its token weights.
 *
 * @throws UsageError for combinations that SkyRL refuses, and for weights that would be applied twice.
 */
export function lossSteps(loss: RolloutLoss, settings: Settings): Step[] {
  const type = settings.tis_ratio_type ?? null;
  if (type !== null && loss === "cispo") {
    throw new UsageError(
      `SkyRL stops: cispo_anchor='rollout' is already rollout-anchored and performs the off-policy correction; TIS (tis_ratio_type='${type}') would double-count it`,
      { hint: "tis_ratio_type: null" },
    );
  }
  if (type !== null) {
    throw new UsageError(
      `tis_ratio_type ${type} multiplies by π/π_rollout, as the loss ${loss} already does: the mismatch is counted twice`,
      {
        likely: "SkyRL accepts it; logratio cannot compute the product of two weights",
        hint: "tis_ratio_type: null",
      },
    );
  }
  const number = (name: string): number => requiredNumber("skyrl", settings, name);
  if (loss === "rollout_is") {
    return [
      { action: "zero", measure: "weight", ...around(number("eps_clip_low"), number("eps_clip_high")) },
    ];
  }
  if (loss === "cispo") {
    const band = around(number("cispo.cispo_eps_clip_low"), number("cispo.cispo_eps_clip_high"));
    return [{ action: "truncate", ...band }];
  }
  return dppoSteps(
    settings["dppo.dppo_type"] === "binary_kl",
    number("dppo.delta_low"),
    number("dppo.delta_high"),
  );
}

/** 1 − low to 1 + high, in the decimals that were meant: 0.3, not the 0.30000000000000004 of 1 − 0.7. */
function around(low: number, high: number): Required<Bounds> {
  return { lower: decimal(1 - low), upper: decimal(1 + high) };
}

function decimal(value: number): number {
  return Number(value.toPrecision(12));
}

/** Only tokens whose update takes the policies further apart are dropped. NaN stays. */
function dppoSteps(byKl: boolean, low: number, high: number): Step[] {
  const at = { level: "token", aggregation: "sum" } as const;
  const drop = (measure: Measure, rule: Pick<Reject, "lower" | "upper" | "when" | "only">): Step => ({
    action: "zero",
    measure,
    ...rule,
    nan: "kept",
  });
  if (!byKl) {
    const diff: Measure = { statistic: "prob_diff", ...at };
    return [drop(diff, { upper: high, when: "positive" }), drop(diff, { lower: -low, when: "negative" })];
  }
  const kl: Measure = { statistic: "binary_kl", ...at, restShift: KL_EPSILON };
  const only = "diverging tokens";
  return [
    drop(kl, { upper: high, when: "positive", only }),
    drop(kl, { upper: low, when: "negative", only }),
  ];
}

export function lossTraps(settings: Settings): readonly Trap[] {
  const loss = rolloutLoss(settings);
  const setting = "policy_loss_type";
  if (loss === undefined) return [];
  const shared: Trap = {
    says: `${loss} takes its ratio of the policy being updated against the rollout: later updates on a batch move it further, and what a dump shows is the first one`,
    setting,
  };
  if (loss === "rollout_is") {
    const { lower, upper } = around(Number(settings.eps_clip_low), Number(settings.eps_clip_high));
    return [
      {
        says: `rollout_is sets weights outside ${lower} to ${upper} to 0, whatever the advantage's sign; they still count in the loss's denominator`,
        severity: "warning",
        code: "icepop",
        setting: ["eps_clip_low", "eps_clip_high", setting],
      },
      shared,
    ];
  }
  if (loss === "cispo") {
    return [{ says: "cispo clamps weights and drops no token", setting }, shared];
  }
  return [
    {
      says: `dppo.delta_low and dppo.delta_high are ${settings["dppo.dppo_type"] === "binary_kl" ? "nats of binary KL" : "differences of probabilities"}, not ratios, and nothing caps the ratio of a token that is kept`,
      code: "not-a-ratio",
      setting: ["dppo.delta_low", "dppo.delta_high", setting],
    },
    shared,
  ];
}

/** The YAML of a loss, under `trainer.algorithm`; nothing for the usual one. */
export function lossYaml(settings: Settings, indent: string): string {
  const loss = rolloutLoss(settings);
  if (loss === undefined) return "";
  const type = `${indent}policy_loss_type: ${yamlLiteral(loss)}\n`;
  if (loss === "rollout_is") return type + yamlLines(settings, ["eps_clip_low", "eps_clip_high"], indent);
  const own = LOSS_PARAMETERS.flatMap(({ name }) =>
    name.startsWith(`${loss}.`) ? [[name.slice(loss.length + 1), settings[name] ?? null] as const] : [],
  );
  const lines = own.map(([name, value]) => `${indent}  ${name}: ${yamlLiteral(value)}\n`);
  return `${type}${indent}${loss}:\n${lines.join("")}`;
}

/** Settings with which a loss has this correction's weights, for `express`. */
export function lossCandidates(steps: readonly Step[]): Settings[] {
  const cut = steps.find((step) => step.action === "truncate");
  const zeros = steps.filter((step): step is Reject => step.action === "zero");
  const [band] = zeros;
  return [
    ...(band?.lower !== undefined && band.upper !== undefined
      ? [
          {
            policy_loss_type: "rollout_is",
            eps_clip_low: decimal(1 - band.lower),
            eps_clip_high: decimal(band.upper - 1),
          },
        ]
      : []),
    ...(cut?.action === "truncate" && cut.upper !== undefined
      ? [
          {
            policy_loss_type: "cispo",
            "cispo.cispo_anchor": "rollout",
            "cispo.cispo_eps_clip_low": decimal(1 - (cut.lower ?? 0)),
            "cispo.cispo_eps_clip_high": decimal(cut.upper - 1),
          },
        ]
      : []),
    ...dppoCandidates(zeros),
  ];
}

function dppoCandidates(zeros: readonly Reject[]): Settings[] {
  const high = zeros.find(({ when }) => when === "positive");
  const low = zeros.find(({ when }) => when === "negative");
  if (high?.upper === undefined || low === undefined) return [];
  const byKl = low.upper !== undefined;
  return [
    {
      policy_loss_type: "dppo",
      "dppo.dppo_type": byKl ? "binary_kl" : "binary_tv",
      "dppo.delta_high": high.upper,
      "dppo.delta_low": low.upper ?? -(low.lower ?? 0),
    },
  ];
}
