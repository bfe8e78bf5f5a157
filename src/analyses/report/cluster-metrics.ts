/**
 * The pooled figures that have intervals, as functions of cluster sums.
 *
 * @module
 */
import { CLUSTER, CLUSTER_WIDTH } from "../../core/summaries/index.ts";
import { RUN_METRICS, type RunMetricKey } from "../../results/metrics/run-metrics.ts";

type Sums = ArrayLike<number>;
type Column = keyof typeof CLUSTER;

export interface ClusterMetric {
  /** Positive quantities have intervals symmetric in the logarithm. */
  readonly scale: "linear" | "log";
  /** What a cluster's part in the figure is measured by; non-negative. */
  readonly mass: Column;
  /** Of one token, as a function of its Δ that grows with the distance from 0, where few tokens can make most of it. */
  readonly tokenMass?: (delta: number) => number;
  /** From the sums of all clusters; on the scale on which its interval is symmetric but for the logarithm. */
  value(total: Sums): number;
  /** To first order, by how much the figure is larger for a cluster's sums at `at`. */
  influence(total: Sums, table: Sums, at: number): number;
  /** The largest value that it can have. */
  readonly most?: number;
  /** From `value` to the figure that the report prints, where they differ. Falling: it turns ends around. */
  readonly shown?: (value: number) => number;
}

/** @param per what the column is divided by */
function ratio(
  key: RunMetricKey,
  column: Column,
  factor: number,
  rest: Pick<ClusterMetric, "mass" | "tokenMass" | "most">,
  per: Column = "tokens",
): ClusterMetric {
  const of = CLUSTER[column];
  const n = CLUSTER[per];
  return {
    ...rest,
    scale: RUN_METRICS[key].scale === "log" ? "log" : "linear",
    value: (total) => (factor * total[of]!) / total[n]!,
    influence: (total, table, at) =>
      (factor * (table[at + of]! - (total[of]! / total[n]!) * table[at + n]!)) / total[n]!,
  };
}

const square = (delta: number): number => delta * delta;
const k3 = (delta: number): number => Math.expm1(delta) - delta;
const excessSquare = (delta: number): number => Math.expm1(delta) ** 2;

/** χ² = mean (ρ² − 1) = mean (2 (ρ − 1) + (ρ − 1)²). */
const chi2: ClusterMetric = {
  scale: "linear",
  mass: "excessSquare",
  tokenMass: excessSquare,
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
  tokenMass: excessSquare,
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

export const CLUSTER_METRICS: Readonly<Record<string, ClusterMetric>> = {
  delta_mean: ratio("delta_mean", "delta", 1, { mass: "deltaAbs" }),
  delta_abs_mean: ratio("delta_abs_mean", "deltaAbs", 1, { mass: "deltaAbs" }),
  k1: ratio("k1", "delta", -1, { mass: "deltaAbs" }),
  k2: ratio("k2", "deltaSquare", 0.5, { mass: "deltaSquare", tokenMass: square }),
  k3: ratio("k3", "k3", 1, { mass: "k3", tokenMass: k3 }),
  prob_diff_mean: ratio("prob_diff_mean", "probDiffAbs", 1, { mass: "probDiffAbs", most: 1 }, "probTokens"),
  ess: variation,
  chi2_token: chi2,
};

/** The sums of all clusters. */
export function addRows(table: Float64Array): Float64Array {
  const total = new Float64Array(CLUSTER_WIDTH);
  for (let at = 0; at < table.length; at += CLUSTER_WIDTH)
    for (let column = 0; column < CLUSTER_WIDTH; column++) total[column]! += table[at + column]!;
  return total;
}
