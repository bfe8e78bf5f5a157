/**
 * Expresses the neutral form in verl's settings.
 *
 * @module
 */
import type { Correction, Normalize, Reject, Truncate, Weight } from "../neutral/correction.ts";
import {
  findMeasure,
  looksAtRawWeights,
  measuresWeight,
  tightenLogBound,
  withinReach,
  withinSafety,
} from "../shared/neutral-steps.ts";
import type { Settings } from "../shared/preset.ts";
import { pythonFloat } from "../shared/python-text.ts";
import { VERL_BOUND, VERL_OPTIONS, type VerlOption } from "./settings.ts";

/** Below every weight and every token ratio that verl computes, which are at least exp(−20) = 2.06e-9. */
const NO_LOWER = "1e-09";

/**
 * The settings with the same effect for tokens within ±20 nats, to which verl clamps Δ and log-ratios; undefined when
 * there are none. Ratio bounds of a rejection become bounds on their inverse, which is what verl's k1 options hold.
 */
export function expressInVerl(correction: Correction): Settings | undefined {
  const { weight, steps } = correction;
  if (!looksAtRawWeights(correction)) return undefined;
  const masks: Reject[] = [];
  const bounding: (Truncate | Reject)[] = [];
  const norms: Normalize[] = [];
  for (const step of steps) {
    if (step.action === "veto") return undefined;
    if (step.action === "normalize") norms.push(step);
    else if (step.action === "mask") masks.push(step);
    else {
      if (norms.length > 0) return undefined;
      bounding.push(step);
    }
  }
  if (bounding.length > 1 || norms.length > 1) return undefined;
  const threshold = weight ? weightThreshold(weight, bounding[0]) : null;
  const normalized = norms[0] === undefined || (weight !== undefined && norms[0].over === weight.level);
  const rejections = masks.map((step) => rejection(step, weight));
  if (threshold === undefined || !normalized || (!weight && bounding.length > 0)) return undefined;
  if (!rejections.every((entry) => entry !== undefined)) return undefined;
  if (new Set(rejections.map(({ option }) => option)).size < rejections.length) return undefined;
  return {
    rollout_is: weight ? weight.level : null,
    rollout_is_threshold: threshold ?? 2,
    rollout_is_batch_normalize: norms.length > 0,
    rollout_rs: rejections.length > 0 ? rejections.map(({ option }) => option).join(",") : null,
    rollout_rs_threshold: rejections.length > 0 ? rejections.map(({ spec }) => spec).join(",") : null,
  };
}

function weightThreshold(weight: Weight, step: Truncate | Reject | undefined): number | string | undefined {
  const plain =
    weight.level !== "turn" &&
    weight.over === undefined &&
    withinSafety(weight.deltaBound, VERL_BOUND) &&
    withinSafety(weight.logBound, VERL_BOUND);
  if (!plain || (weight.level === "sequence" && weight.aggregation !== "sum")) return undefined;
  if (!step) return tightenLogBound(weight) === VERL_BOUND ? "inf" : undefined;
  const { lower, upper } = step;
  if (!withinReach(step, weight, VERL_BOUND)) return undefined;
  if (step.action === "truncate") {
    return (lower === undefined || lower <= 0) && upper !== undefined && upper > 0 ? upper : undefined;
  }
  const measure = findMeasure(step, weight);
  if (!measure || !measuresWeight(measure, weight) || !withinSafety(measure.deltaBound, VERL_BOUND))
    return undefined;
  return pair(lower !== undefined && lower > 0 ? lower : undefined, upper);
}

function rejection(
  step: Reject,
  weight: Weight | undefined,
): { option: VerlOption; spec: string } | undefined {
  const measure = findMeasure(step, weight);
  if (!measure || measure.level === "turn" || !withinSafety(measure.deltaBound, VERL_BOUND)) return undefined;
  const { statistic, level, aggregation } = measure;
  const kind = statistic === "ratio" ? "k1" : statistic;
  const option = VERL_OPTIONS.find(
    (name) => name === (level === "token" ? `token_${kind}` : `seq_${aggregation}_${kind}`),
  );
  if (!option) return undefined;
  const { lower, upper } = step;
  if (kind !== "k1") {
    const bounded = upper !== undefined && upper > 0 && (lower === undefined || lower <= 0);
    return bounded ? { option, spec: pythonFloat(upper) } : undefined;
  }
  // The inverse of ρ: an upper bound on ρ is a lower bound here, and vice versa.
  const low = statistic === "k1" ? toRatio(lower) : invertRatio(upper);
  const high = statistic === "k1" ? toRatio(upper) : invertRatio(lower);
  if (low === undefined && option === "seq_sum_k1") return undefined;
  return { option, spec: pair(low, high) };
}

const toRatio = (nats: number | undefined): number | undefined =>
  nats !== undefined && Number.isFinite(nats) ? rounded(Math.exp(nats)) : undefined;

const invertRatio = (ratio: number | undefined): number | undefined =>
  ratio !== undefined && ratio > 0 && ratio < Number.POSITIVE_INFINITY ? rounded(1 / ratio) : undefined;

/** Drops the last digit, a residue of exp and log: 0.98 rather than 0.9799999999999999. */
const rounded = (value: number): number => Number(value.toPrecision(15));

function pair(lower: number | undefined, upper: number | undefined): string {
  return `${lower === undefined ? NO_LOWER : pythonFloat(lower)}_${upper === undefined ? "inf" : pythonFloat(upper)}`;
}
