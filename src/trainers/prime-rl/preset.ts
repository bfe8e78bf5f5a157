/**
 * prime-rl's presets, one per loss: their settings, what these do, and their traps.
 *
 * @module
 */
import { UsageError } from "../../core/base/index.ts";
import type { Correction, Measure, Reject, Weight } from "../neutral/correction.ts";
import type { Parameter, Preset, Settings, Trap } from "../shared/preset.ts";
import { requiredNumber } from "../shared/read-setting.ts";
import { firstExpressing, plainForm } from "../shared/same-effect.ts";
import { primeRlIpoMetrics, primeRlMetrics } from "./correction-metrics.ts";

const SOURCE = "PrimeIntellect-ai/prime-rl src/prime_rl/trainer/rl/loss.py, 559b4477";

/** The importance ratio itself multiplies the advantage; nothing bounds it (loss.py: pg_loss). */
const RATIO: Weight = { level: "token", aggregation: "sum" };
const PROB_DIFF: Measure = { statistic: "prob_diff", level: "token", aggregation: "sum" };
const ABS_PROB_DIFF: Measure = { statistic: "abs_prob_diff", level: "token", aggregation: "sum" };

const threshold = (name: string, fallback: number, meaning: string): Parameter => ({
  name,
  kind: "number",
  fallback,
  meaning,
});

const dppoParameters: readonly Parameter[] = [
  threshold(
    "dppo_mask_low",
    0.2,
    "where the advantage is not positive, drop tokens whose probability fell by more than this; ≥ 0",
  ),
  threshold(
    "dppo_mask_high",
    0.2,
    "where the advantage is positive, drop tokens whose probability rose by more than this; ≥ 0",
  ),
];

/** Its default was 0.1 before pull request 3586. */
const ipoParameters: readonly Parameter[] = [
  threshold("eps", 0.3, "drop tokens whose probability moved by more than this either way; ≥ 0"),
];

const icepopParameters: readonly Parameter[] = [
  threshold("ratio_low", 0.2, "drop tokens whose ratio is below this; > 0"),
  threshold("ratio_high", 5, "drop tokens whose ratio is above this; at least ratio_low"),
];

const kpopParameters: readonly Parameter[] = [
  threshold(
    "kpop_threshold",
    0.1,
    "drop tokens whose binary KL, in either direction, exceeds this; nats, ≥ 0",
  ),
];

/** Probabilities are clamped this far from 0 and 1 first. */
const KPOP_BOUND = 1e-6;

/** Traps of all losses. */
const SHARED_TRAPS: readonly Trap[] = [
  {
    says: "the importance ratio is not clamped (the documentation's min(ratio, δ) is not in the code): a token that was very unlikely at rollout keeps a huge weight as long as its probability moves little",
    code: "raw-weights",
  },
  {
    says: "dropped tokens still count in the loss's denominator, and kl_tau · Δ², where kl_tau is not 0, still pulls on them",
  },
];

/** Thresholds as high as ratios, which no difference of probabilities reaches. */
function findLikelyRatios(settings: Settings, thresholds: readonly Parameter[]): Trap[] {
  return thresholds
    .filter(({ name }) => Number(settings[name]) >= 1)
    .map(({ name }) => ({
      says: `${name} is 1 or more: probabilities cannot differ by that, so it is off`,
      severity: "error",
      code: "not-a-ratio",
      setting: name,
    }));
}

/** prime-rl's default loss before IPO became the only one: DPPO's trust region on probabilities, conditioned on the sign of the advantage. */
export const primeRl: Preset = {
  name: "prime-rl",
  trainer: "prime-rl",
  summary:
    "DPPO: raw token ratios; drops tokens whose probability moved too far in the advantage's direction",
  source: SOURCE,
  until: "2026-08-27",
  parameters: dppoParameters,

  correction(settings: Settings): Correction {
    const high = nonNegative(primeRl, settings, "dppo_mask_high");
    const low = nonNegative(primeRl, settings, "dppo_mask_low");
    return {
      weight: RATIO,
      steps: [
        { action: "zero", measure: PROB_DIFF, upper: high, when: "positive", nan: "kept" },
        { action: "zero", measure: PROB_DIFF, lower: -low, when: "not positive", nan: "kept" },
      ],
    };
  },

  traps: (settings) => [
    {
      says: "thresholds are on exp(trainer) − exp(rollout), a difference of probabilities: 0.2 is not a ratio of 1.2, and a rare token can change its ratio a thousandfold without being dropped",
      code: "not-a-ratio",
    },
    ...findLikelyRatios(settings, dppoParameters),
    {
      says: "a token with advantage 0 falls under dppo_mask_low; it counts in is_masked but not in is_masked_low, so is_masked is not is_masked_low + is_masked_high",
      setting: "dppo_mask_low",
    },
    {
      says: "is_masked and its kind are means of the sequences' means, mismatch_kl/all is over tokens: the two do not add up",
    },
    ...SHARED_TRAPS,
  ],

  metrics: () => primeRlMetrics(),

  express(correction) {
    const zeros = plainForm(correction).steps.filter((step): step is Reject => step.action === "zero");
    const high = zeros.find(({ when }) => when === "positive")?.upper;
    const low = zeros.find(({ when }) => when === "not positive")?.lower;
    if (high === undefined || low === undefined) return undefined;
    return firstExpressing(primeRl, correction, [
      { dppo_mask_low: low === 0 ? 0 : -low, dppo_mask_high: high },
    ]);
  },

  config: (settings) => ({
    language: "toml",
    place: "rl.toml, under [trainer.loss], before 2026-08-27",
    text: toml("default", dppoParameters, settings),
  }),
};

/** prime-rl's IPO loss, its only one since 2026-08-27 (#3418): the same trust region whatever the advantage. */
export const primeRlIpo: Preset = {
  name: "prime-rl-ipo",
  trainer: "prime-rl",
  summary: "IPO: raw token ratios; drops tokens whose probability moved too far either way",
  source: SOURCE,
  parameters: ipoParameters,

  correction(settings: Settings): Correction {
    const upper = nonNegative(primeRlIpo, settings, "eps");
    return { weight: RATIO, steps: [{ action: "zero", measure: ABS_PROB_DIFF, upper, nan: "kept" }] };
  },

  traps: (settings) => [
    {
      says: "eps is on |exp(trainer) − exp(rollout)|, a difference of probabilities, not on the ratio",
      code: "not-a-ratio",
      setting: "eps",
    },
    ...findLikelyRatios(settings, ipoParameters),
    { says: "it drops tokens that move back towards the rollout policy just as those that move away" },
    ...SHARED_TRAPS,
  ],

  metrics: () => primeRlIpoMetrics(),

  express(correction) {
    const zero = plainForm(correction).steps.find((step): step is Reject => step.action === "zero");
    return zero?.upper === undefined
      ? undefined
      : firstExpressing(primeRlIpo, correction, [{ eps: zero.upper }]);
  },

  config: (settings) => ({
    language: "toml",
    place: "rl.toml, under [trainer.loss]",
    text: toml("ipo", ipoParameters, settings),
  }),
};

/** prime-rl's IcePop loss (#3526): tokens whose ratio is outside a band are dropped, and nothing pulls on them. */
export const primeRlIcepop: Preset = {
  name: "prime-rl-icepop",
  trainer: "prime-rl",
  summary: "IcePop: raw token ratios; drops tokens whose ratio is outside a band",
  source:
    "PrimeIntellect-ai/prime-rl src/prime_rl/trainer/rl/loss.py IcePopLoss, pull request 3526, after 559b4477",
  parameters: icepopParameters,

  correction(settings: Settings): Correction {
    const [lower, upper] = ["ratio_low", "ratio_high"].map((name) => positive(settings, name)) as [
      number,
      number,
    ];
    if (lower > upper) throw new UsageError("prime-rl refuses: ratio_low must not exceed ratio_high");
    return { weight: RATIO, steps: [{ action: "zero", measure: "weight", lower, upper, nan: "kept" }] };
  },

  traps: () => [
    {
      says: "dropped tokens still count in the loss's denominator",
      code: "icepop",
      setting: ["ratio_low", "ratio_high"],
    },
  ],

  // Those of the ipo loss, by the pull request.
  metrics: () => primeRlIpoMetrics(),

  express(correction) {
    const zero = plainForm(correction).steps.find((step): step is Reject => step.action === "zero");
    return zero?.upper === undefined || !((zero.lower ?? 0) > 0)
      ? undefined
      : firstExpressing(primeRlIcepop, correction, [
          { ratio_low: zero.lower ?? null, ratio_high: zero.upper },
        ]);
  },

  config: (settings) => ({
    language: "toml",
    place: "rl.toml, under [trainer.loss]; since 2026-09-10",
    text: toml("icepop", icepopParameters, settings),
  }),
};

/**
 * The loss type `kpop` of pull request 3283: a trust region by binary KL in both directions, after KPop of Ring
 * (https://ringtech.notion.site/kpop).
 */
export const primeRlKpop: Preset = {
  name: "prime-rl-kpop",
  trainer: "prime-rl",
  summary: "KPop: raw token ratios; drops tokens whose binary KL, in either direction, is too large",
  source: "PrimeIntellect-ai/prime-rl pull request 3283, on 559b4477",
  parameters: kpopParameters,

  correction(settings: Settings): Correction {
    const upper = nonNegative(primeRlKpop, settings, "kpop_threshold");
    const drop = (statistic: "binary_kl" | "binary_kl_reverse"): Reject => ({
      action: "zero",
      measure: { statistic, level: "token", aggregation: "sum", probBound: KPOP_BOUND },
      upper,
      nan: "kept",
    });
    return { weight: RATIO, steps: [drop("binary_kl"), drop("binary_kl_reverse")] };
  },

  traps: () => [
    {
      says: "kpop_threshold is nats of binary KL, not a ratio: the band is wide for rare tokens and tight for likely ones",
      code: "not-a-ratio",
      setting: "kpop_threshold",
    },
    { says: "it drops tokens that move back towards the rollout policy just as those that move away" },
    ...SHARED_TRAPS,
  ],

  // Those of the ipo loss, by the pull request.
  metrics: () => primeRlIpoMetrics(),

  express(correction) {
    const zero = plainForm(correction).steps.find((step): step is Reject => step.action === "zero");
    return zero?.upper === undefined
      ? undefined
      : firstExpressing(primeRlKpop, correction, [{ kpop_threshold: zero.upper }]);
  },

  config: (settings) => ({
    language: "toml",
    place: "rl.toml, under [trainer.loss]; with pull request 3283",
    text: toml("kpop", kpopParameters, settings),
  }),
};

function nonNegative(preset: Preset, settings: Settings, name: string): number {
  const value = requiredNumber(preset.name, settings, name);
  if (!(value >= 0)) {
    throw new UsageError(
      `prime-rl refuses ${name} ${value}: "Input should be greater than or equal to 0" (${name}: float = Field(ge=0))`,
    );
  }
  return value;
}

function positive(settings: Settings, name: string): number {
  const value = requiredNumber("prime-rl-icepop", settings, name);
  if (value > 0) return value;
  throw new UsageError(
    `prime-rl refuses ${name} ${value}: "Input should be greater than 0" (${name}: float = Field(gt=0))`,
  );
}

function toml(type: string, parameters: readonly Parameter[], settings: Settings): string {
  const lines = parameters.map(({ name }) => `${name} = ${String(settings[name])}\n`);
  return `[trainer.loss]\ntype = "${type}"\n${lines.join("")}`;
}
