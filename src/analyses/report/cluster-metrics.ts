/**
 * The pooled figures that have intervals, as functions of cluster sums.
 *
 * @module
 */
import { CLUSTER, CLUSTER_WIDTH } from "../../core/summaries/index.ts";
import {
  isTokenMean,
  type OwnIntervalKey,
  RUN_METRICS,
  type TokenMean,
  type TokenMeanKey,
} from "../../results/metrics/run-metrics.ts";

type Sums = ArrayLike<number>;
type Column = keyof typeof CLUSTER;

export interface ClusterMetric {
  /** Positive quantities have intervals that are symmetric in the logarithm. */
  readonly scale: "linear" | "log";
  /** A cluster's share in the figure is measured by this column; non-negative. */
  readonly mass: Column;
  /** From the sums of all clusters; on the scale on which its interval is symmetric but for the logarithm. */
  value(total: Sums): number;
  /** First-order increase of the figure due to a cluster's sums at `at`. */
  influence(total: Sums, table: Sums, at: number): number;
  /** The largest possible value. */
  readonly most?: number;
  /**
   * Converts `value` to the figure that the report prints, if they differ. Decreasing: it swaps the ends of the
   * interval.
   */
  readonly shown?: (value: number) => number;
}

/**
 * Of one token, by the column that sums it, where few tokens can make most of the sum: functions of its Δ that grow with
 * the distance from 0.
 */
export const TOKEN_MASSES: Readonly<Partial<Record<Column, (delta: number) => number>>> = {
  deltaSquare: (delta) => delta * delta,
  k3: (delta) => Math.expm1(delta) - delta,
  excessSquare: (delta) => Math.expm1(delta) ** 2,
};

function tokenMean(key: TokenMeanKey): ClusterMetric {
  const {
    sum,
    factor = 1,
    per = "tokens",
    mass = sum,
    most = Number.POSITIVE_INFINITY,
  }: TokenMean = RUN_METRICS[key].mean;
  const of = CLUSTER[sum];
  const n = CLUSTER[per];
  return {
    mass,
    most,
    scale: RUN_METRICS[key].scale,
    value: (total) => (factor * total[of]!) / total[n]!,
    influence: (total, table, at) =>
      (factor * (table[at + of]! - (total[of]! / total[n]!) * table[at + n]!)) / total[n]!,
  };
}

/** χ² = mean (ρ² − 1) = mean (2 (ρ − 1) + (ρ − 1)²). */
const chi2: ClusterMetric = {
  scale: "linear",
  mass: "excessSquare",
  value: (total) => readSums(total, 0).chi2 / total[CLUSTER.tokens]!,
  influence(total, table, at) {
    const n = total[CLUSTER.tokens]!;
    const cluster = readSums(table, at);
    return (cluster.chi2 - (readSums(total, 0).chi2 / n) * cluster.n) / n;
  },
};

/** 1/ESS − 1 = var ρ / mean² ρ, the squared coefficient of variation of ρ. */
const variation: ClusterMetric = {
  scale: "log",
  mass: "excessSquare",
  shown: (value) => 1 / (1 + value),
  value(total) {
    const { mean, variance } = ratioMoments(total);
    return variance / (mean * mean);
  },
  influence(total, table, at) {
    const { mean, variance, excess } = ratioMoments(total);
    const n = total[CLUSTER.tokens]!;
    const cluster = readSums(table, at);
    const first = cluster.excess - excess * cluster.n;
    const second = cluster.square - (total[CLUSTER.excessSquare]! / n) * cluster.n;
    return ((second - 2 * excess * first) / (mean * mean) - (2 * variance * first) / mean ** 3) / n;
  },
};

function readSums(table: Sums, at: number) {
  const [n, excess, square] = [
    table[at + CLUSTER.tokens]!,
    table[at + CLUSTER.excess]!,
    table[at + CLUSTER.excessSquare]!,
  ];
  return { n, excess, square, chi2: 2 * excess + square };
}

function ratioMoments(total: Sums): { mean: number; variance: number; excess: number } {
  const { n, excess, square } = readSums(total, 0);
  const mean = excess / n;
  return { mean: 1 + mean, variance: square / n - mean * mean, excess: mean };
}

/** Of the share of rare events, `jumpInterval` makes the interval. */
const OWN: Readonly<Record<Exclude<OwnIntervalKey, "prob_diff_above_half">, ClusterMetric>> = {
  ess: variation,
  chi2_token: chi2,
};

/** In the order of the entries, but for mean Δ, which `--json` has first. */
export const CLUSTER_METRICS: Readonly<Record<string, ClusterMetric>> = {
  delta_mean: tokenMean("delta_mean"),
  ...Object.fromEntries(
    Object.keys(RUN_METRICS)
      .filter(isTokenMean)
      .map((key) => [key, tokenMean(key)]),
  ),
  ...OWN,
};

/** The sums of all clusters. */
export function addRows(table: Float64Array): Float64Array {
  const total = new Float64Array(CLUSTER_WIDTH);
  for (let at = 0; at < table.length; at += CLUSTER_WIDTH)
    for (let column = 0; column < CLUSTER_WIDTH; column++) total[column]! += table[at + column]!;
  return total;
}
