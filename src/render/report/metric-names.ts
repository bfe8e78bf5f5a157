import type { Interval, MismatchMetrics, MismatchReport, ReportMetrics } from "../../results/index.ts";
import type { FigureKind } from "../text/index.ts";

export interface MetricName {
  readonly label: string;
  readonly kind: FigureKind;
  /** What it is, in a few words with its unit. */
  readonly meaning: string;
}

/** How each pooled figure of a report is labeled; the order is that of the table of all figures. */
export const METRIC_NAMES = {
  delta_mean: { label: "mean Δ", kind: "signed", meaning: "mean of Δ = log p trainer − log p rollout, nats" },
  delta_std: { label: "std Δ", kind: "number", meaning: "standard deviation of Δ, nats" },
  delta_min: {
    label: "min Δ",
    kind: "signed",
    meaning: "most negative Δ (more likely under the rollout policy), nats",
  },
  delta_max: {
    label: "max Δ",
    kind: "signed",
    meaning: "most positive Δ (more likely under the trainer policy), nats",
  },
  delta_abs_mean: { label: "mean |Δ|", kind: "number", meaning: "mean of |Δ|, nats" },
  delta_abs_p50: { label: "p50 |Δ|", kind: "number", meaning: "median of |Δ|, nats" },
  delta_abs_p99: { label: "p99 |Δ|", kind: "number", meaning: "one token in 100 exceeds this, nats" },
  delta_abs_p999: { label: "p99.9 |Δ|", kind: "number", meaning: "one token in 1,000 exceeds this, nats" },
  delta_abs_max: { label: "max |Δ|", kind: "number", meaning: "largest |Δ| of a token, nats" },
  k1: { label: "k1", kind: "signed", meaning: "mean(−Δ), estimates KL(rollout ‖ trainer), nats" },
  k2: { label: "k2", kind: "number", meaning: "mean(Δ²) / 2, nats" },
  k3: { label: "k3", kind: "number", meaning: "mean(exp Δ − Δ − 1), estimates KL(rollout ‖ trainer), nats" },
  chi2_token: { label: "χ² token", kind: "signed", meaning: "mean(ρ²) − 1 with ρ = exp Δ" },
  ratio_mean: { label: "mean ρ", kind: "near-one", meaning: "mean importance ratio ρ = exp Δ" },
  ratio_std: { label: "std ρ", kind: "number", meaning: "standard deviation of ρ" },
  prob_diff_mean: { label: "mean |Δp|", kind: "number", meaning: "mean of |p trainer − p rollout|" },
  prob_diff_std: { label: "std |Δp|", kind: "number", meaning: "standard deviation of |Δp|" },
  prob_diff_max: { label: "max |Δp|", kind: "number", meaning: "largest |p trainer − p rollout|" },
  prob_diff_above_half: {
    label: "|Δp| > ½",
    kind: "share",
    meaning: "share of the tokens whose two probabilities differ by more than ½",
  },
  catastrophic_fraction: {
    label: "ρ < 1e-4",
    kind: "share",
    meaning: "share of catastrophic tokens; a veto at 1e-4 rejects the whole sequence",
  },
  pearson: { label: "Pearson", kind: "near-one", meaning: "correlation of the two probabilities" },
  ess: { label: "ESS", kind: "near-one", meaning: "effective share of the tokens, (Σρ)² / (n Σρ²)" },
  rollout_ppl: { label: "ppl rollout", kind: "number", meaning: "perplexity under the rollout policy" },
  trainer_ppl: { label: "ppl trainer", kind: "number", meaning: "perplexity under the trainer policy" },
} as const satisfies Partial<Record<keyof ReportMetrics, MetricName>>;

export type MetricKey = keyof typeof METRIC_NAMES;

/** Those that parts of a run have, too. */
export type PartMetricKey = Extract<MetricKey, keyof MismatchMetrics>;

export function isMetricKey(name: string): name is MetricKey {
  return Object.hasOwn(METRIC_NAMES, name);
}

/** The names of `METRIC_NAMES`, or a plain one for a figure that a newer report added. */
export function metricName(key: string): MetricName {
  return isMetricKey(key) ? METRIC_NAMES[key] : { label: key, kind: "number", meaning: key };
}

export function findInterval(report: MismatchReport, key: string): Interval | undefined {
  return Object.hasOwn(report.intervals, key) ? report.intervals[key] : undefined;
}
