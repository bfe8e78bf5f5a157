/**
 * The figures of a run, and of its steps, turns and other parts: one entry contains everything about each. Tables,
 * charts, the gate, alerts, Compare and the glossary read it.
 *
 * @module
 */
import type { CLUSTER } from "../../core/summaries/index.ts";
import type { FigureKind } from "../../core/text/index.ts";
import type { MismatchMetrics, ReportMetrics, StepMetrics } from "../report.ts";

/**
 * How a figure is compared between runs: on its own scale; on its logarithm; on ln(1 − x), if it is 1 in a perfect run;
 * on its square root, for counts and shares of rare events, whose spread grows with them.
 */
export type MetricScale = "linear" | "log" | "below_one" | "root";

type ClusterColumn = keyof typeof CLUSTER;

/** How a mean over tokens and its interval are had from the sums of each prompt. */
export interface TokenMean {
  readonly sum: ClusterColumn;
  /** Default 1. */
  readonly factor?: number;
  /** What the sum is divided by; default the tokens. */
  readonly per?: ClusterColumn;
  /** What a prompt's part in the figure is measured by; non-negative. Default the sum. */
  readonly mass?: ClusterColumn;
  /** The largest value that it can have. */
  readonly most?: number;
}

/** A chart over steps. */
interface StepChart {
  /** Default the label. */
  readonly title?: string;
  /** Its id, and the name of its file; absent if the figure is drawn only with others. */
  readonly id?: string;
  /** The name of its line; default the label. */
  readonly line?: string;
  /** The color of its line; default blue. */
  readonly color?: "grey" | "orange" | "purple" | "teal";
}

/**
 * Where figures are shown, beside the table of all: charts over steps, the report's first screen, figures of two runs
 * on the page and of two with different texts, what `gate` learns.
 */
type Place = "charts" | "first" | "pooled" | "unpaired" | "gate";

export interface RunMetric {
  /** In a few characters, as a column heading. */
  readonly label: string;
  readonly unit: "nats" | "share" | "tokens" | "";
  readonly kind: FigureKind;
  /** What it is, in a few words with its unit. */
  readonly meaning: string;
  readonly scale: MetricScale;
  /** Which direction is worse; absent if neither is. */
  readonly worse?: "more" | "less";
  /** Absent if it has none. */
  readonly chart?: StepChart;
  /** The places that show it; in each, smaller numbers come first, and equal ones in the order of the entries. */
  readonly at?: Readonly<Partial<Record<Place, number>>>;
  /** Given for each mean over tokens that is 0 where both log-probs are equal; such a figure has an interval. */
  readonly mean?: TokenMean;
  /** Has an interval over prompts, by a formula of its own. */
  readonly hasInterval?: true;
  /** Says how much was read, which a small run has as well as a large one. */
  readonly isAmount?: true;
}

type StepOnly = Exclude<keyof StepMetrics, keyof ReportMetrics | "step">;

const AMOUNT = { unit: "", kind: "count", scale: "log", isAmount: true } as const;

/** In the order of the table of all figures. */
export const RUN_METRICS = {
  sequences: {
    ...AMOUNT,
    label: "sequences",
    meaning: "sequences with a token in the mask",
    at: { pooled: 1 },
  },
  tokens: { ...AMOUNT, label: "tokens", meaning: "tokens with mask 1 and both log-probs", at: { pooled: 1 } },
  steps: { ...AMOUNT, label: "steps", meaning: "training steps", scale: "linear" },
  turns_max: { ...AMOUNT, label: "most turns", meaning: "turns of the longest dialog", scale: "linear" },
  ranks: { ...AMOUNT, label: "ranks", meaning: "data-parallel ranks", scale: "linear" },
  sequences_empty: {
    ...AMOUNT,
    label: "empty sequences",
    meaning: "sequences without a token in the mask",
    scale: "root",
  },
  delta_abs_mean: {
    label: "mean |Δ|",
    unit: "nats",
    kind: "number",
    meaning: "mean of |Δ|, nats",
    scale: "log",
    worse: "more",
    chart: { title: "Mean |Δ|", id: "mean-abs-delta", line: "mean" },
    mean: { sum: "deltaAbs" },
    at: { charts: 1, first: 1, pooled: 1, unpaired: 1, gate: 1 },
  },
  delta_abs_p50: {
    label: "p50 |Δ|",
    unit: "nats",
    kind: "number",
    meaning: "median of |Δ|, nats",
    scale: "log",
    worse: "more",
    chart: {},
    at: { pooled: 1, unpaired: 2 },
  },
  delta_abs_p99: {
    label: "p99 |Δ|",
    unit: "nats",
    kind: "number",
    meaning: "one token in 100 exceeds this, nats",
    scale: "log",
    worse: "more",
    chart: { id: "p99-abs-delta" },
    at: { charts: 1, first: 1, pooled: 1, unpaired: 2, gate: 2 },
  },
  delta_abs_p999: {
    label: "p99.9 |Δ|",
    unit: "nats",
    kind: "number",
    meaning: "one token in 1,000 exceeds this, nats",
    scale: "log",
    worse: "more",
    at: { first: 1, pooled: 1, unpaired: 2 },
  },
  delta_abs_max: {
    label: "max |Δ|",
    unit: "nats",
    kind: "number",
    meaning: "largest |Δ| of a token, nats",
    scale: "log",
    worse: "more",
    chart: { title: "Max |Δ|", id: "max-abs-delta" },
    at: { charts: 1, first: 1, pooled: 1, unpaired: 2 },
  },
  delta_mean: {
    label: "mean Δ",
    unit: "nats",
    kind: "signed",
    meaning: "mean of Δ = log p trainer − log p rollout, nats",
    scale: "linear",
    chart: { title: "Mean Δ" },
    mean: { sum: "delta", mass: "deltaAbs" },
    at: { pooled: 1, unpaired: 1, gate: 1 },
  },
  delta_std: {
    label: "std Δ",
    unit: "nats",
    kind: "number",
    meaning: "standard deviation of Δ, nats",
    scale: "log",
    worse: "more",
  },
  delta_min: {
    label: "min Δ",
    unit: "nats",
    kind: "signed",
    meaning: "most negative Δ (more likely under the rollout policy), nats",
    scale: "linear",
    worse: "less",
    chart: { title: "Smallest Δ" },
  },
  delta_max: {
    label: "max Δ",
    unit: "nats",
    kind: "signed",
    meaning: "most positive Δ (more likely under the trainer policy), nats",
    scale: "linear",
    worse: "more",
    chart: { title: "Largest Δ" },
  },
  k1: {
    label: "k1",
    unit: "nats",
    kind: "signed",
    meaning: "mean(−Δ), estimates KL(rollout ‖ trainer), nats",
    scale: "linear",
    chart: {},
    mean: { sum: "delta", factor: -1, mass: "deltaAbs" },
    at: { pooled: 1 },
  },
  k2: {
    label: "k2",
    unit: "nats",
    kind: "number",
    meaning: "mean(Δ²) / 2, nats",
    scale: "log",
    worse: "more",
    mean: { sum: "deltaSquare", factor: 0.5 },
  },
  k3: {
    label: "k3",
    unit: "nats",
    kind: "number",
    meaning: "mean(exp Δ − Δ − 1), estimates KL(rollout ‖ trainer), nats",
    scale: "log",
    worse: "more",
    chart: { id: "k3" },
    mean: { sum: "k3" },
    at: { charts: 1, first: 1, pooled: 1, unpaired: 1, gate: 2 },
  },
  chi2_token: {
    label: "χ² token",
    unit: "",
    kind: "signed",
    meaning: "mean(ρ²) − 1 with ρ = exp Δ",
    scale: "linear",
    worse: "more",
    hasInterval: true,
    at: { pooled: 1 },
  },
  ratio_mean: {
    label: "mean ρ",
    unit: "",
    kind: "near-one",
    meaning: "mean importance ratio ρ = exp Δ",
    scale: "linear",
  },
  ratio_std: {
    label: "std ρ",
    unit: "",
    kind: "number",
    meaning: "standard deviation of ρ",
    scale: "log",
    worse: "more",
  },
  prob_diff_mean: {
    label: "mean |Δp|",
    unit: "",
    kind: "number",
    meaning: "mean of |p trainer − p rollout|",
    scale: "log",
    worse: "more",
    mean: { sum: "probDiffAbs", per: "probTokens", most: 1 },
    at: { pooled: 1, unpaired: 1, gate: 2 },
  },
  prob_diff_std: {
    label: "std |Δp|",
    unit: "",
    kind: "number",
    meaning: "standard deviation of |Δp|",
    scale: "log",
    worse: "more",
  },
  prob_diff_max: {
    label: "max |Δp|",
    unit: "",
    kind: "number",
    meaning: "largest |p trainer − p rollout|",
    scale: "log",
    worse: "more",
    chart: { title: "Largest |Δp|", id: "max-prob-diff", line: "max", color: "orange" },
    at: { charts: 2, first: 1, pooled: 1 },
  },
  prob_diff_above_half: {
    label: "|Δp| > ½",
    unit: "share",
    kind: "share",
    meaning: "share of the tokens whose two probabilities differ by more than ½",
    scale: "root",
    worse: "more",
    hasInterval: true,
  },
  catastrophic_tokens: {
    label: "tokens with ρ < 1e-4",
    unit: "tokens",
    kind: "count",
    meaning: "catastrophic tokens; a veto at 1e-4 rejects the whole sequence of each",
    scale: "root",
    worse: "more",
  },
  catastrophic_fraction: {
    label: "ρ < 1e-4",
    unit: "share",
    kind: "share",
    meaning: "share of catastrophic tokens; a veto at 1e-4 rejects the whole sequence",
    scale: "root",
    worse: "more",
  },
  pearson: {
    label: "Pearson",
    unit: "",
    kind: "near-one",
    meaning: "correlation of the two probabilities",
    scale: "below_one",
    worse: "less",
    at: { first: 1, pooled: 2, gate: 3 },
  },
  ess: {
    label: "ESS",
    unit: "share",
    kind: "near-one",
    meaning: "effective share of the tokens, (Σρ)² / (n Σρ²)",
    scale: "below_one",
    worse: "less",
    chart: { title: "Effective sample size", id: "ess" },
    hasInterval: true,
    at: { charts: 1, first: 1, pooled: 1, gate: 2 },
  },
  rollout_ppl: {
    label: "ppl rollout",
    unit: "",
    kind: "number",
    meaning: "perplexity under the rollout policy",
    scale: "log",
  },
  trainer_ppl: {
    label: "ppl trainer",
    unit: "",
    kind: "number",
    meaning: "perplexity under the trainer policy",
    scale: "log",
  },
} as const satisfies Readonly<Record<keyof ReportMetrics, RunMetric>>;

export type RunMetricKey = keyof typeof RUN_METRICS;

type KeysWith<Metrics, Field extends keyof RunMetric> = {
  [Key in keyof Metrics]: Metrics[Key] extends Readonly<Record<Field, unknown>> ? Key : never;
}[keyof Metrics];

/** A figure whose interval has a formula of its own. */
export type OwnIntervalKey = KeysWith<typeof RUN_METRICS, "hasInterval">;
export type TokenMeanKey = KeysWith<typeof RUN_METRICS, "mean">;

/** Those that steps, turns and other parts of a run have, too. */
export type PartMetricKey = keyof MismatchMetrics;

/** Figures of a step that are null if the data do not say. */
export const STEP_ONLY_METRICS = {
  entropy: {
    label: "entropy",
    unit: "nats",
    kind: "number",
    meaning: "mean entropy of the trainer policy, else of the rollout policy, nats",
    scale: "log",
    chart: { title: "Entropy", id: "entropy", line: "mean", color: "teal" },
    at: { charts: 2 },
  },
  response_tokens: {
    label: "response length",
    unit: "tokens",
    kind: "number",
    meaning: "mean length of a response, tool output included, tokens",
    scale: "log",
    chart: { title: "Response length", id: "length", line: "mean", color: "grey" },
    at: { charts: 2 },
  },
  reward: {
    label: "reward",
    unit: "",
    kind: "number",
    meaning: "mean reward",
    scale: "linear",
    chart: { title: "Reward", id: "reward", line: "mean", color: "purple" },
    at: { charts: 2 },
  },
  accuracy: {
    label: "accuracy",
    unit: "",
    kind: "share",
    meaning: "share of right answers among those that are judged",
    scale: "linear",
    chart: { title: "Accuracy", id: "accuracy", line: "right", color: "purple" },
    at: { charts: 2 },
  },
} as const satisfies Readonly<Record<StepOnly, RunMetric>>;

const ALL: Readonly<Record<string, RunMetric>> = { ...RUN_METRICS, ...STEP_ONLY_METRICS };

export function isRunMetric(key: string): key is RunMetricKey {
  return Object.hasOwn(RUN_METRICS, key);
}

/** The entry of a figure of runs or steps, or a plain one for a figure that a newer report added. */
export function runMetric(key: string): RunMetric {
  return Object.hasOwn(ALL, key)
    ? ALL[key]!
    : { label: key, unit: "", kind: "number", meaning: key, scale: "linear" };
}

export const isTokenMean = (key: string): key is TokenMeanKey => runMetric(key).mean !== undefined;

type ShownAt<Metrics, P extends Place> = {
  [Key in keyof Metrics]: Metrics[Key] extends { readonly at: Readonly<Record<P, number>> } ? Key : never;
}[keyof Metrics];

type MetricAt<P extends Place> = ShownAt<typeof RUN_METRICS, P> | ShownAt<typeof STEP_ONLY_METRICS, P>;

/** The figures that a place shows, in its order. */
export function metricsAt<P extends Place>(place: P): readonly MetricAt<P>[] {
  const rank = (key: string): number => runMetric(key).at?.[place] ?? 0;
  return (Object.keys(ALL) as MetricAt<P>[]).filter(rank).sort((a, b) => rank(a) - rank(b));
}

/** A figure that the viewer has over steps. */
export type StepMetric = KeysWith<typeof RUN_METRICS, "chart"> | KeysWith<typeof STEP_ONLY_METRICS, "chart">;

export const STEP_METRICS = Object.keys(ALL).filter(
  (key): key is StepMetric => runMetric(key).chart !== undefined,
);
