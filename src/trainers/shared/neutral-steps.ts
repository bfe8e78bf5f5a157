/**
 * Questions that presets ask of a correction in the neutral form, to see whether their trainer has settings for it.
 *
 * @module
 */
import type { Bounds, Correction, Measure, Reject, Step, Weight } from "../neutral/index.ts";

/**
 * Whether a bound on Δ or on a log-ratio is as good as ± `safety` nats: the same, or none below it. Beyond `safety` the
 * two differ, by at most exp(−safety) in a weight whose upper bound is within exp(safety).
 */
export function withinSafety(bound: number | undefined, safety: number): boolean {
  return bound === undefined || bound >= safety;
}

/** What the log of a weight is clamped to; at token level Δ is that log. */
export function tightenLogBound({ level, logBound, deltaBound }: Weight): number | undefined {
  if (level !== "token" || deltaBound === undefined) return logBound;
  return Math.min(deltaBound, logBound ?? deltaBound);
}

/** Whether bounds on a weight decide alike for a weight clamped to exp(± `safety`) and for the one that is meant. */
export function withinReach({ lower, upper }: Bounds, weight: Weight, safety: number): boolean {
  if (tightenLogBound(weight) === safety) return true;
  const least = Math.exp(-safety);
  return (
    upper !== undefined && upper <= Math.exp(safety) && (lower === undefined || lower <= 0 || lower >= least)
  );
}

/**
 * The measure of a rejection, `weight` spelled out, whatever it does with NaN; undefined when the step asks for
 * advantages or for what earlier steps left.
 */
export function findMeasure(step: Reject, weight: Weight | undefined): Measure | undefined {
  if (step.when !== undefined || step.only !== undefined) return undefined;
  if (step.measure !== "weight") return step.measure.over === undefined ? step.measure : undefined;
  if (!weight || weight.over !== undefined) return undefined;
  const { level, aggregation, deltaBound } = weight;
  return { statistic: "ratio", level, aggregation, ...(deltaBound !== undefined && { deltaBound }) };
}

/** Whether a measure is the ratio that the weight is made of. */
export function measuresWeight(measure: Measure, weight: Weight): boolean {
  return (
    measure.statistic === "ratio" &&
    measure.level === weight.level &&
    (weight.level === "token" || measure.aggregation === weight.aggregation)
  );
}

/** True when every step that changes weights comes after every rejection that looks at them as they are then. */
export function looksAtRawWeights({ steps }: Correction): boolean {
  const changed = steps.findIndex((step) => changesWeights(step));
  return (
    changed < 0 || !steps.slice(changed + 1).some((step) => "measure" in step && step.measure === "weight")
  );
}

function changesWeights({ action }: Step): boolean {
  return action === "truncate" || action === "zero" || action === "normalize";
}
