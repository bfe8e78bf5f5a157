/**
 * Whether two corrections have the same effect on a block, however they are written.
 *
 * @module
 */
import { isLogratioError } from "../../core/base/index.ts";
import type { Bounds, Correction, Measure, Reject, Step, Weight } from "../neutral/correction.ts";
import { tightenLogBound } from "./neutral-steps.ts";
import type { Preset, Settings } from "./preset.ts";
import { completeSettings } from "./settings.ts";

/** Ratios beyond this are infinite in trainers' float32; such a bound only catches infinities. */
const FLOAT32_MAX = 3.4028234663852886e38;

/**
 * The first of the given settings, completed, with which a preset has the effect of a correction; undefined when none
 * has. Settings that the preset refuses are skipped.
 */
export function firstExpressing(
  preset: Preset,
  correction: Correction,
  candidates: readonly Settings[],
): Settings | undefined {
  for (const candidate of candidates) {
    try {
      const settings = completeSettings(preset, candidate);
      if (sameEffect(preset.correction(settings), correction)) return settings;
    } catch (error) {
      if (!isLogratioError(error, "UsageError")) throw error;
    }
  }
  return undefined;
}

/**
 * Whether two corrections do the same to finite log-probs; weights below e^−logBound (2e-9 at the usual 20 nats) count
 * as equal. NaN rules, bounds that cannot bind and the order of independent rejections make no difference.
 */
export function sameEffect(a: Correction, b: Correction): boolean {
  return JSON.stringify(plainForm(a)) === JSON.stringify(plainForm(b));
}

/** The canonical form of corrections with the same effect: keys in fixed order, only bounds that bind. */
export function plainForm(correction: Correction): Correction {
  const { weight } = correction;
  const steps: Step[] = [];
  let touched = false;
  let partly = false;
  for (const step of correction.steps) {
    const plain = plainStep(step, weight, touched, partly);
    if (plain) steps.push(plain);
    if (plain?.action === "truncate" || plain?.action === "normalize" || plain?.action === "zero")
      touched = true;
    if (plain?.action === "mask" && plain.measure !== "weight" && plain.measure.level !== "sequence")
      partly = true;
  }
  const masks = steps.filter((step) => independent(step)).map((step) => JSON.stringify(step));
  const ordered = [...new Set(masks)].sort().map((text) => JSON.parse(text) as Step);
  const maskedBefore = steps.findIndex(changesWeights);
  const partlyBefore = steps
    .slice(0, maskedBefore < 0 ? steps.length : maskedBefore)
    .some((step) => step.action === "mask" && step.measure !== "weight" && step.measure.level !== "sequence");
  return {
    ...(weight && { weight: plainWeight(weight, steps, partlyBefore) }),
    steps: [...ordered, ...steps.filter((step) => !independent(step))],
  };
}

function changesWeights({ action }: Step): boolean {
  return action === "truncate" || action === "normalize" || action === "zero";
}

/** A rejection that depends neither on other steps nor on weights. */
function independent(step: Step): boolean {
  if (step.action === "veto") return true;
  return step.action === "mask" && step.measure !== "weight" && step.measure.over === undefined;
}

function plainStep(
  step: Step,
  weight: Weight | undefined,
  touched: boolean,
  partly: boolean,
): Step | undefined {
  if (step.action === "normalize") return { action: step.action, over: step.over };
  if (step.action === "truncate") {
    const bounds = plainBounds(step, 0);
    return bounds && { action: step.action, ...bounds };
  }
  const own = step.measure === "weight" && weight && !touched ? ownMeasure(weight, step) : undefined;
  const measure = own ?? step.measure;
  if (measure === "weight") {
    const bounds = plainBounds(step, 0);
    return bounds && { action: step.action as "zero" | "mask", measure, ...readConditions(step), ...bounds };
  }
  const plain = plainMeasure(measure, step, partly);
  const bounds = plainBounds(step, findFloor(measure));
  if (!bounds) return undefined;
  if (step.action === "veto")
    return { action: step.action, measure: { ...plain, level: "token" }, ...bounds };
  return { action: step.action, measure: plain, ...readConditions(step), ...bounds };
}

function readConditions(step: Step): Pick<Reject, "when" | "only"> {
  if (step.action !== "zero" && step.action !== "mask") return {};
  return { ...(step.when && { when: step.when }), ...(step.only && { only: step.only }) };
}

/** The weight as a measure, when its clamp cannot reach the bounds. */
function ownMeasure(weight: Weight, bounds: Bounds): Measure | undefined {
  const { level, aggregation, over, deltaBound } = weight;
  if (!withinBound(bounds, tightenLogBound(weight))) return undefined;
  return {
    statistic: "ratio",
    level,
    aggregation,
    ...(deltaBound !== undefined && { deltaBound }),
    ...(over && { over }),
  };
}

function plainMeasure(measure: Measure, bounds: Bounds, partly: boolean): Measure {
  const { statistic, level, aggregation, deltaBound, probBound, restShift, over } = measure;
  const tokenRatio = statistic === "ratio" && level === "token";
  const bound = tokenRatio && withinBound(bounds, deltaBound) ? undefined : deltaBound;
  return {
    statistic,
    level,
    aggregation: level === "token" ? "sum" : aggregation,
    ...(bound !== undefined && { deltaBound: bound }),
    ...(probBound !== undefined && { probBound }),
    ...(restShift !== undefined && { restShift }),
    ...(over && level !== "token" && partly && { over }),
  };
}

function plainWeight(weight: Weight, steps: readonly Step[], partly: boolean): Weight {
  const { level, aggregation, deltaBound, over } = weight;
  const logBound = tightenLogBound(weight);
  const capped = steps.some(
    (step) =>
      step.action !== "normalize" &&
      step.action !== "veto" &&
      (step.action === "truncate" ||
        step.measure === "weight" ||
        (step.measure.statistic === "ratio" &&
          step.measure.level === level &&
          (level === "token" || step.measure.aggregation === aggregation))) &&
      step.upper !== undefined &&
      withinBound({ upper: step.upper }, logBound),
  );
  return {
    level,
    aggregation: level === "token" ? "sum" : aggregation,
    ...(logBound !== undefined && !capped && { logBound }),
    ...(deltaBound !== undefined && level !== "token" && { deltaBound }),
    ...(over && level !== "token" && partly && { over }),
  };
}

function withinBound({ lower, upper }: Bounds, logBound = Number.POSITIVE_INFINITY): boolean {
  return (
    (upper === undefined || upper >= FLOAT32_MAX || upper < Math.exp(logBound)) &&
    (lower === undefined || lower <= 0 || lower > Math.exp(-logBound))
  );
}

/** Smallest possible value of a figure; a shift takes a binary KL below 0. */
function findFloor({ statistic, restShift }: Measure): number {
  if (statistic === "error_ratio") return 1;
  const isSigned = statistic === "k1" || statistic === "prob_diff" || restShift !== undefined;
  return isSigned ? Number.NEGATIVE_INFINITY : 0;
}

function plainBounds({ lower, upper }: Bounds, floor: number): Bounds | undefined {
  const least = lower === undefined || lower <= floor ? undefined : lower;
  const most = upper === undefined || upper >= FLOAT32_MAX ? undefined : upper;
  if (least === undefined && most === undefined) return undefined;
  return { ...(least !== undefined && { lower: least }), ...(most !== undefined && { upper: most }) };
}
