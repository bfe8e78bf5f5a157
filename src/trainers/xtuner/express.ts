/**
 * Expresses the neutral form in xtuner's settings.
 *
 * @module
 */
import type { Bounds, Correction, Reject, Truncate, Veto, Weight } from "../neutral/correction.ts";
import {
  findMeasure,
  looksAtRawWeights,
  measuresWeight,
  tightenLogBound,
  withinReach,
  withinSafety,
} from "../shared/neutral-steps.ts";
import type { Settings } from "../shared/preset.ts";
import { XTUNER_BOUND, type XtunerLevel, type XtunerMode } from "./settings.ts";

/** Beyond every weight that xtuner computes, which is at most exp(20) = 4.9e8. */
const NO_UPPER = 1e9;

/**
 * The settings with the same effect for log-ratios within ±20 nats, to which xtuner clamps them; undefined when there
 * are none.
 */
export function expressInXtuner(correction: Correction): Settings | undefined {
  const { weight, steps } = correction;
  if (!weight) return steps.length === 0 ? makeSettings("token", "truncate", null, null, null) : undefined;
  const level = findLevel(weight);
  if (!level || !looksAtRawWeights(correction)) return undefined;
  const truncates: Truncate[] = [];
  const masks: Reject[] = [];
  const vetoes: Veto[] = [];
  for (const step of steps) {
    if (step.action === "truncate") truncates.push(step);
    else if (step.action === "mask") masks.push(step);
    else if (step.action === "veto") vetoes.push(step);
    else return undefined;
  }
  if (truncates.length > 1 || masks.length > 1 || vetoes.length > 1) return undefined;
  if (!masks.every((step) => isMask(step, weight)) || !vetoes.every(isVeto)) return undefined;
  if (![...truncates, ...masks].every((step) => withinReach(step, weight, XTUNER_BOUND))) return undefined;

  const [truncate, mask, veto] = [truncates[0], masks[0], vetoes[0]].map((step) => step && toPair(step));
  if (!truncate && !mask && tightenLogBound(weight) !== XTUNER_BOUND) return undefined;
  const threshold = truncate ?? mask ?? [NO_UPPER, 0];
  const maskThreshold = truncate && mask && String(truncate) !== String(mask) ? mask : null;
  if (!isOrdered(threshold) || (maskThreshold && !isOrdered(maskThreshold))) return undefined;
  const mode = mask ? (truncate ? "both" : "mask") : "truncate";
  return makeSettings(level, mode, threshold, maskThreshold, veto ?? null);
}

type Pair = readonly [upper: number, lower: number];

function findLevel({ level, aggregation, logBound, deltaBound, over }: Weight): XtunerLevel | undefined {
  const safe = withinSafety(logBound, XTUNER_BOUND) && withinSafety(deltaBound, XTUNER_BOUND);
  if (over !== undefined || !safe || level === "turn") return undefined;
  if (level === "token") return "token";
  return aggregation === "sum" ? "sequence" : "geometric";
}

function isMask(step: Reject, weight: Weight): boolean {
  const measure = findMeasure(step, weight);
  return (
    measure !== undefined && measuresWeight(measure, weight) && withinSafety(measure.deltaBound, XTUNER_BOUND)
  );
}

function isVeto({ measure }: Veto): boolean {
  return measure.statistic === "ratio" && withinSafety(measure.deltaBound, XTUNER_BOUND);
}

function toPair({ lower = 0, upper = NO_UPPER }: Bounds): Pair {
  return [upper, Math.max(lower, 0)];
}

function isOrdered([upper, lower]: Pair): boolean {
  return upper > lower;
}

function makeSettings(
  level: XtunerLevel,
  mode: XtunerMode,
  threshold: Pair | null,
  mask: Pair | null,
  veto: Pair | null,
): Settings {
  return {
    rollout_is_level: level,
    rollout_is_mode: mode,
    rollout_is_threshold: threshold,
    rollout_is_mask_threshold: mask,
    rollout_is_veto_threshold: veto,
  };
}
