/**
 * Tests with which presets find out whether their trainer has settings for a neutral correction.
 *
 * @module
 */
import type { Bounds, Correction, Measure, Reject, Step, Weight } from "../neutral/correction.ts";

/**
 * Whether a bound on Δ or on a log-ratio is equivalent to ± `safety` nats: equal, larger, or absent. Beyond `safety`
 * the two differ, by at most exp(−safety) in a weight whose upper bound is within exp(safety).
 */
export function withinSafety(bound: number | undefined, safety: number): boolean {
  return bound === undefined || bound >= safety;
}

/** The clamp of a weight's log; at token level, that log is Δ. */
export function tightenLogBound({ level, logBound, deltaBound }: Weight): number | undefined {
  if (level !== "token" || deltaBound === undefined) return logBound;
  return Math.min(deltaBound, logBound ?? deltaBound);
}

/** Whether bounds decide the same for a weight clamped to exp(± `safety`) as for the intended weight. */
export function withinReach({ lower, upper }: Bounds, weight: Weight, safety: number): boolean {
  if (tightenLogBound(weight) === safety) return true;
  const least = Math.exp(-safety);
  return (
    upper !== undefined && upper <= Math.exp(safety) && (lower === undefined || lower <= 0 || lower >= least)
  );
}

/**
 * The measure of a rejection, with `weight` spelled out, whatever it does with NaN; undefined when the step depends on
 * advantages or on earlier steps.
 */
export function findMeasure(step: Reject, weight: Weight | undefined): Measure | undefined {
  if (step.when !== undefined || step.only !== undefined) return undefined;
  if (step.measure !== "weight") return step.measure.over === undefined ? step.measure : undefined;
  if (!weight || weight.over !== undefined) return undefined;
  const { level, aggregation, deltaBound } = weight;
  return { statistic: "ratio", level, aggregation, ...(deltaBound !== undefined && { deltaBound }) };
}

/** Whether a measure is the ratio of the weight. */
export function measuresWeight(measure: Measure, weight: Weight): boolean {
  return (
    measure.statistic === "ratio" &&
    measure.level === weight.level &&
    (weight.level === "token" || measure.aggregation === weight.aggregation)
  );
}

/** True when every step that changes weights comes after all rejections by the current weight. */
export function looksAtRawWeights({ steps }: Correction): boolean {
  const changed = steps.findIndex((step) => changesWeights(step));
  return (
    changed < 0 || !steps.slice(changed + 1).some((step) => "measure" in step && step.measure === "weight")
  );
}

function changesWeights({ action }: Step): boolean {
  return action === "truncate" || action === "zero" || action === "normalize";
}
