import {
  absProbDiffStd,
  chi2Token,
  deltaStd,
  effectiveSampleSize,
  sumsLayout as F,
  k1,
  k2,
  k3,
  pearson,
  ratioMean,
  ratioStd,
} from "../../core/kernels/index.ts";
import {
  CATASTROPHIC_DELTA,
  type MismatchSummary,
  TAIL_THRESHOLDS,
  type ValueSketch,
} from "../../core/summaries/index.ts";
import type { Distribution, MismatchMetrics, ReportMetrics, Tail, TailPoint } from "../../results/report.ts";

/** The figures of one set of tokens, from kernel sums, the number of sequences, and the sketch of their Δ. */
export function computeMetrics(
  sums: Float64Array,
  sequences: number,
  deltas: ValueSketch | undefined,
): MismatchMetrics {
  const at = (field: number): number => sums[field]!;
  const tokens = at(F.COUNT);
  const some = (value: number): number => (tokens > 0 ? value : Number.NaN);
  const [p50, p99, p999] = deltas?.absolute().quantiles([0.5, 0.99, 0.999]) ?? [];
  const withProbability = (value: number): number => (at(F.PROB_COUNT) > 0 ? value : Number.NaN);
  return {
    sequences,
    tokens,
    delta_mean: some(at(F.DELTA_MEAN)),
    delta_std: some(deltaStd(sums)),
    delta_min: some(at(F.DELTA_MIN)),
    delta_max: some(at(F.DELTA_MAX)),
    delta_abs_mean: at(F.ABS_DELTA_SUM) / tokens,
    delta_abs_max: some(Math.max(at(F.DELTA_MAX), -at(F.DELTA_MIN))),
    delta_abs_p50: p50 ?? Number.NaN,
    delta_abs_p99: p99 ?? Number.NaN,
    delta_abs_p999: p999 ?? Number.NaN,
    k1: some(k1(sums)),
    k2: some(k2(sums)),
    k3: some(k3(sums)),
    chi2_token: some(chi2Token(sums)),
    ratio_mean: some(ratioMean(sums)),
    ratio_std: some(ratioStd(sums)),
    prob_diff_mean: withProbability(at(F.ABS_PROB_DIFF_MEAN)),
    prob_diff_max: withProbability(at(F.ABS_PROB_DIFF_MAX)),
    prob_diff_std: withProbability(absProbDiffStd(sums)),
    pearson: pearson(sums),
    ess: some(effectiveSampleSize(sums)),
    rollout_ppl: Math.exp(-at(F.ROLLOUT_SUM) / tokens),
    trainer_ppl: Math.exp(-at(F.TRAINER_SUM) / tokens),
  };
}

/**
 * The figures of a summary, pooled over all its tokens.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { MismatchSummary, packPadded, pooledMetrics } from "logratio";
 *
 * const batch = packPadded({ rollout_log_probs: [[-1, -2]], old_log_probs: [[-1, -1.5]] });
 * const { delta_abs_mean, k1, ess } = pooledMetrics(MismatchSummary.of(batch));
 * assert.deepEqual([delta_abs_mean, k1], [0.25, -0.25]); // nats
 * assert(ess > 0.9 && ess < 1); // a fraction of the tokens
 * ```
 *
 * @returns Δ and k1 to k3 in nats, ρ as a ratio, ESS and |Δp| as fractions; NaN if there are no tokens
 */
export function pooledMetrics(summary: MismatchSummary): MismatchMetrics {
  return computeMetrics(summary.sums, summary.sequences.count, summary.deltas);
}

const QUANTILES = {
  p1: 0.01,
  p5: 0.05,
  p25: 0.25,
  p50: 0.5,
  p75: 0.75,
  p95: 0.95,
  p99: 0.99,
  "p99.9": 0.999,
} as const;

/** Quantiles of a sketch together with moments that are known exactly. */
export function describeDistribution(
  sketch: ValueSketch,
  mean: number,
  std: number,
  transform: (value: number) => number = (x) => x,
): Distribution {
  const values = sketch.quantiles(Object.values(QUANTILES));
  const some = (value: number): number => (sketch.count > 0 ? transform(value) : Number.NaN);
  return {
    count: sketch.count,
    mean,
    std,
    min: some(sketch.min),
    max: some(sketch.max),
    quantiles: Object.fromEntries(Object.keys(QUANTILES).map((name, i) => [name, transform(values[i]!)])),
  };
}

/**
 * The extreme-token curve P(|Δ| > τ), separately for both tails; ends with the first threshold that no token exceeds.
 */
export function computeTailCurve(deltas: ValueSketch): TailPoint[] {
  const points: TailPoint[] = [];
  for (const threshold of TAIL_THRESHOLDS) {
    const positive = deltas.countAbove(threshold);
    const negative = deltas.countBelow(-threshold);
    points.push({
      threshold,
      tokens: positive + negative,
      share: (positive + negative) / deltas.count,
      positive,
      negative,
      ...(!(deltas.isExactAt(threshold) && deltas.isExactAt(-threshold)) && { approximate: true }),
    });
    if (positive + negative === 0) break;
  }
  return points;
}

/** Tokens that the trainer finds at least 10,000 times less likely than the rollout did. */
export function countCatastrophic(
  deltas: ValueSketch,
): Pick<ReportMetrics, "catastrophic_tokens" | "catastrophic_fraction"> {
  const tokens = deltas.countBelow(CATASTROPHIC_DELTA);
  return { catastrophic_tokens: tokens, catastrophic_fraction: tokens / deltas.count };
}

/** One side of Δ alone: number of tokens, mean, median and 99th percentile. */
export function describeTail(
  deltas: ValueSketch,
  side: "positive" | "negative",
  tokens: number,
  sum: number,
): Tail {
  const [p50, p99] = deltas.side(side).quantiles([0.5, 0.99]);
  const sign = side === "positive" ? 1 : -1;
  return {
    tokens,
    share: tokens / deltas.count,
    delta_mean: tokens > 0 ? sum / tokens : Number.NaN,
    delta_extreme: tokens > 0 ? (side === "positive" ? deltas.max : deltas.min) : Number.NaN,
    p50: sign * (p50 as number),
    p99: sign * (p99 as number),
  };
}
