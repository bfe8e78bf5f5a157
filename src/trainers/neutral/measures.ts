/**
 * Values of tokens, turns and sequences: the plain definition against which faster code is tested.
 *
 * @module
 */
import type { FloatArray } from "../../core/base/index.ts";
import { computeK3, computeProbDiff, type TokenBlock } from "../../core/kernels/index.ts";
import { binaryKl } from "./binary-kl.ts";
import type { Aggregation, Figure, Level, Measure, Weight } from "./correction.ts";
import { clamp } from "./rules.ts";

/** Parts of a packed block: part i covers tokens `[starts[i], ends[i])`, where those with mask 1 belong to it. */
export interface Segments {
  readonly level: Level;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Every token (mask 0 too, so that token values are indexed by position), every turn, or every sequence of a block. */
export function cutSegments(block: TokenBlock, level: Level): Segments {
  const { mask, offsets } = block;
  if (level === "sequence") return { level, starts: offsets.subarray(0, -1), ends: offsets.subarray(1) };
  if (level === "token") {
    const starts = Int32Array.from({ length: mask.length }, (_, t) => t);
    return { level, starts, ends: starts.map((t) => t + 1) };
  }
  const starts: number[] = [];
  const ends: number[] = [];
  for (let row = 0; row + 1 < offsets.length; row++) {
    let open = false;
    for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
      if (mask[t] !== 0 && !open) starts.push(t);
      if (mask[t] === 0 && open) ends.push(t);
      open = mask[t] !== 0;
    }
    if (open) ends.push(offsets[row + 1]!);
  }
  return { level, starts: Int32Array.from(starts), ends: Int32Array.from(ends) };
}

/** The value of one token; for `ratio` its log, so that sums are products. */
export function tokenStatistic(figure: Figure, rollout: number, trainer: number): number {
  const delta = boundedDelta(rollout, trainer, figure.deltaBound);
  switch (figure.statistic) {
    case "ratio":
      return delta;
    case "error_ratio":
      return Math.exp(Math.abs(delta));
    case "ratio_distance":
      return Math.abs(Math.expm1(delta));
    case "k1":
      return -delta;
    case "k2":
      return (delta * delta) / 2;
    case "k3":
      return computeK3(delta);
    case "k3_reverse":
      return computeK3(-delta);
    case "prob_diff":
      return computeProbDiff(rollout, trainer);
    case "abs_prob_diff":
      return Math.abs(computeProbDiff(rollout, trainer));
    case "binary_kl":
      return binaryKl(rollout, trainer, figure);
    case "binary_kl_reverse":
      return binaryKl(trainer, rollout, figure);
  }
}

/** One value per segment, in the measure's own unit; NaN for tokens with mask 0. */
export function measureSegments(block: TokenBlock, segments: Segments, measure: Measure): Float64Array {
  const { rollout, trainer } = block;
  const values = aggregateSegments(block, segments, measure.aggregation, (t) =>
    tokenStatistic(measure, rollout[t]!, trainer[t]!),
  );
  return measure.statistic === "ratio" ? values.map(Math.exp) : values;
}

/** Σ Δ or mean Δ per segment, nats: the log of a weight before its bound. */
export function logRatios(
  block: TokenBlock,
  segments: Segments,
  { aggregation, deltaBound }: Weight,
): Float64Array {
  const { rollout, trainer } = block;
  return aggregateSegments(block, segments, aggregation, (t) =>
    boundedDelta(rollout[t]!, trainer[t]!, deltaBound),
  );
}

/** The mean of a column over each segment's tokens with mask 1. */
export function segmentMeans(block: TokenBlock, segments: Segments, column: FloatArray): Float64Array {
  return aggregateSegments(block, segments, "mean", (t) => column[t]!);
}

/** NaN stays NaN. */
function boundedDelta(rollout: number, trainer: number, bound = Number.POSITIVE_INFINITY): number {
  return clamp(trainer - rollout, { lower: -bound, upper: bound });
}

function aggregateSegments(
  { mask }: TokenBlock,
  { level, starts, ends }: Segments,
  aggregation: Aggregation,
  valueAt: (token: number) => number,
): Float64Array {
  const values = new Float64Array(starts.length);
  for (let i = 0; i < starts.length; i++) {
    let count = 0;
    let sum = 0;
    let max = Number.NEGATIVE_INFINITY;
    for (let t = starts[i]!; t < ends[i]!; t++) {
      if (mask[t] === 0) continue;
      const value = valueAt(t);
      count++;
      sum += value;
      max = Math.max(max, value);
    }
    if (count === 0) values[i] = level === "token" ? Number.NaN : 0;
    else values[i] = aggregation === "sum" ? sum : aggregation === "mean" ? sum / count : max;
  }
  return values;
}
