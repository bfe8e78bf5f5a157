/**
 * Two runs with different texts: how far apart each run's policies are, and how far these figures differ.
 *
 * @module
 */
import { orNull } from "../../core/base/index.ts";
import { boundUnseen, type MeanBounds } from "../../core/statistics/mean-bound.ts";
import type { MismatchSummary } from "../../core/summaries/index.ts";
import type { RunFigure } from "../../results/compare.ts";
import { metricsAt, runMetric, type TokenMean } from "../../results/metrics/run-metrics.ts";
import { pooledMetrics } from "../report/metrics.ts";
import { boundColumn, type Judgment, type TestOptions } from "./judge.ts";

/**
 * Figures of both runs and their differences. The bounds of a difference of two means are combined from those of each:
 * d − √((a − lower a)² + (upper b − b)²) and so on (MOVER; Zou and Donner, Statistics in Medicine 27, 2008). They
 * assume independent runs; if both sampled for the same prompts, they are wider than necessary.
 */
export function compareFigures(a: MismatchSummary, b: MismatchSummary, alpha: number): RunFigure[] {
  const [inA, inB] = [pooledMetrics(a), pooledMetrics(b)];
  return metricsAt("unpaired").map((name): RunFigure => {
    const difference = inB[name] - inA[name];
    const { mean } = runMetric(name);
    const [low, high] = mean ? boundDifference(a, b, mean, alpha) : [];
    return {
      name,
      a: orNull(inA[name]),
      b: orNull(inB[name]),
      difference: orNull(difference),
      difference_low: low ?? null,
      difference_high: high ?? null,
    };
  });
}

function boundDifference(
  a: MismatchSummary,
  b: MismatchSummary,
  { sum, per }: TokenMean,
  alpha: number,
): [low?: number, high?: number] {
  return combineBounds(boundColumn(a, sum, alpha, per), boundColumn(b, sum, alpha, per));
}

function combineBounds(x: MeanBounds, y: MeanBounds): [low?: number, high?: number] {
  if (x.low === undefined || x.high === undefined || y.low === undefined || y.high === undefined) return [];
  const difference = y.mean - x.mean;
  return [
    difference - Math.hypot(y.mean - y.low, x.high - x.mean),
    difference + Math.hypot(y.high - y.mean, x.mean - x.low),
  ];
}

/** Bounds of a difference, nats. */
export interface DifferenceBounds {
  readonly low: number;
  readonly high: number;
}

/** Bounds of the difference of mean |Δ| if either run lacked kinds of prompts that are far off; undefined if too few. */
export function boundUnseenDifference(
  a: MismatchSummary,
  b: MismatchSummary,
  alpha: number,
): DifferenceBounds | undefined {
  const [x, y] = [a, b].map((run): MeanBounds => {
    const bounds = boundColumn(run, "deltaAbs", alpha);
    return { ...bounds, high: boundUnseen(bounds, alpha) };
  }) as [MeanBounds, MeanBounds];
  const [low, high] = combineBounds(x, y);
  return low === undefined || high === undefined ? undefined : { low, high };
}

/** The rule for pairs, applied to the difference of mean |Δ|; runs with different texts are never equal. */
export function judgeFigures(
  figures: readonly RunFigure[],
  unseen: DifferenceBounds | undefined,
  { within }: TestOptions,
): Judgment {
  const { difference_low: low, difference_high: high } = figures[0]!;
  if (low === null || high === null || unseen === undefined)
    return { certificate: "undecidable", basis: "too_few" };
  if (low > within || high < -within) return { certificate: "different", basis: "interval" };
  if (low <= -within || high >= within) return { certificate: "undecidable", basis: "straddles" };
  if (unseen.low <= -within || unseen.high >= within) return { certificate: "undecidable", basis: "unseen" };
  return { certificate: "equivalent", basis: "interval" };
}
