import type { MismatchMetrics, ReportMetrics } from "../../results/index.ts";

/**
 * How a figure is compared between runs: on its own scale; on its logarithm; on ln(1 − x), for what is 1 in a perfect run;
 * on its root, for counts and shares of rare events, whose spread grows with them.
 */
export type Scale = "linear" | "log" | "below_one" | "root";

/** Every figure of `metrics`: a new one does not compile without its scale. */
export const METRIC_SCALES: Readonly<Record<keyof ReportMetrics, Scale>> = {
  sequences: "log",
  tokens: "log",
  steps: "linear",
  turns_max: "linear",
  ranks: "linear",
  sequences_empty: "root",
  delta_mean: "linear",
  delta_std: "log",
  delta_min: "linear",
  delta_max: "linear",
  delta_abs_mean: "log",
  delta_abs_max: "log",
  delta_abs_p50: "log",
  delta_abs_p99: "log",
  delta_abs_p999: "log",
  k1: "linear",
  k2: "log",
  k3: "log",
  chi2_token: "linear",
  ratio_mean: "linear",
  ratio_std: "log",
  prob_diff_mean: "log",
  prob_diff_max: "log",
  prob_diff_std: "log",
  prob_diff_above_half: "root",
  pearson: "below_one",
  ess: "below_one",
  rollout_ppl: "log",
  trainer_ppl: "log",
  catastrophic_tokens: "root",
  catastrophic_fraction: "root",
};

type StepKey = keyof MismatchMetrics | "entropy" | "response_tokens" | "reward" | "accuracy";

/** Figures of a step that are null where the data do not say. */
const OPTIONAL_SCALES = {
  entropy: "log",
  response_tokens: "log",
  reward: "linear",
  accuracy: "linear",
} as const satisfies Partial<Record<StepKey, Scale>>;

const POOLED_ONLY = [
  "steps",
  "turns_max",
  "ranks",
  "sequences_empty",
  "prob_diff_above_half",
  "catastrophic_tokens",
  "catastrophic_fraction",
];

const STEP_SCALES: Readonly<Record<string, Scale>> = {
  ...Object.fromEntries(Object.entries(METRIC_SCALES).filter(([key]) => !POOLED_ONLY.includes(key))),
  ...OPTIONAL_SCALES,
};

const IDENTITY_SCALES: Readonly<Record<string, Scale>> = {
  "unit_mean.value": "linear",
  "unit_mean.z": "linear",
  "half_variance.value": "linear",
  "surprisal.value": "linear",
  "surprisal.z": "linear",
  failures: "root",
};

const TRUST_SCALES: Readonly<Record<string, Scale>> = {
  khat_ratio: "linear",
  khat_inverse: "linear",
  khat_sequence: "linear",
  design_effect: "log",
  effective_sequences: "log",
};

/** Masked tokens in no figure; `non_finite_tokens` are all of them. */
const EXCLUDED_SCALES: Readonly<Record<string, Scale>> = {
  delta_negative_infinite: "root",
  delta_positive_infinite: "root",
  missing: "root",
};

/** The groups of figures by the prefix of their names; figures of `metrics` have none. */
export const GROUPS = {
  metrics: METRIC_SCALES as Readonly<Record<string, Scale>>,
  per_step: STEP_SCALES,
  identity: IDENTITY_SCALES,
  trust: TRUST_SCALES,
  excluded: EXCLUDED_SCALES,
} as const;

/** What is not finite: tokens with mask 1 that are in no figure, and logged metrics whose NaN or infinite values break the run. */
export const NON_FINITE = ["non_finite_tokens", "non_finite_metrics"] as const;

export type Group = keyof typeof GROUPS | "logged" | "verdict" | (typeof NON_FINITE)[number];

/** Whether null in a step means that the data do not say, and not that the figure is not finite. */
export function mayBeUnknown(key: string): boolean {
  return Object.hasOwn(OPTIONAL_SCALES, key);
}

/** Figures that say how much was read, which a small run has as well as a large one. */
export function isCount(key: string): boolean {
  return ["sequences", "tokens", "steps", "turns_max", "ranks", "sequences_empty"].includes(key);
}
