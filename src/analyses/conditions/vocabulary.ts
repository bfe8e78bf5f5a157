import {
  type MetricScale,
  RUN_METRICS,
  type RunMetric,
  runMetric,
  STEP_ONLY_METRICS,
} from "../../results/metrics/run-metrics.ts";
import type { MismatchMetrics, ReportMetrics } from "../../results/report.ts";

/** Every figure of `metrics`. */
const METRIC_SCALES = takeScales(RUN_METRICS);

/** Figures that only whole runs have. */
const POOLED_ONLY: Readonly<Record<Exclude<keyof ReportMetrics, keyof MismatchMetrics>, true>> = {
  steps: true,
  turns_max: true,
  ranks: true,
  sequences_empty: true,
  prob_diff_above_half: true,
  catastrophic_tokens: true,
  catastrophic_fraction: true,
};

const STEP_SCALES: Readonly<Record<string, MetricScale>> = {
  ...Object.fromEntries(Object.entries(METRIC_SCALES).filter(([key]) => !Object.hasOwn(POOLED_ONLY, key))),
  ...takeScales(STEP_ONLY_METRICS),
};

function takeScales(metrics: Readonly<Record<string, RunMetric>>): Readonly<Record<string, MetricScale>> {
  return Object.fromEntries(Object.entries(metrics).map(([key, { scale }]) => [key, scale]));
}

const IDENTITY_SCALES: Readonly<Record<string, MetricScale>> = {
  "unit_mean.value": "linear",
  "unit_mean.z": "linear",
  "half_variance.value": "linear",
  "surprisal.value": "linear",
  "surprisal.z": "linear",
  failures: "root",
};

const TRUST_SCALES: Readonly<Record<string, MetricScale>> = {
  khat_ratio: "linear",
  khat_inverse: "linear",
  khat_sequence: "linear",
  design_effect: "log",
  effective_sequences: "log",
};

/** Masked tokens without figures; `non_finite_tokens` is their total. */
const EXCLUDED_SCALES: Readonly<Record<string, MetricScale>> = {
  delta_negative_infinite: "root",
  delta_positive_infinite: "root",
  missing: "root",
};

/** The groups of figures by the prefix of their names; figures of `metrics` have none. */
export const GROUPS = {
  metrics: METRIC_SCALES,
  per_step: STEP_SCALES,
  identity: IDENTITY_SCALES,
  trust: TRUST_SCALES,
  excluded: EXCLUDED_SCALES,
} as const;

/**
 * What is not finite: tokens with mask 1 in no figure, and logged metrics whose NaN or infinite values break the run.
 */
export const NON_FINITE = ["non_finite_tokens", "non_finite_metrics"] as const;

export type Group = keyof typeof GROUPS | "logged" | "verdict" | (typeof NON_FINITE)[number];

/** Whether null in a step means unknown rather than not finite. */
export function mayBeUnknown(key: string): boolean {
  return Object.hasOwn(STEP_ONLY_METRICS, key);
}

/** Figures that say how much was read; a small run has them as well as a large one. */
export function isAmount(key: string): boolean {
  return runMetric(key).isAmount === true;
}
