import { UsageError } from "../../core/base/index.ts";
import { type Bounds, type Correction, isBinaryKl, type Measure, type Statistic } from "./correction.ts";

const POSITIVE: readonly Statistic[] = ["ratio", "error_ratio"];

/**
 * Refuses corrections that contradict themselves, before any data is read.
 *
 * @throws UsageError naming the step, both bounds, and what they would do.
 */
export function validateCorrection(correction: Correction): void {
  const { weight, steps } = correction;
  steps.forEach((step, index) => {
    const name = `step ${index + 1} (${step.action})`;
    if (step.action === "normalize") {
      if (!weight) throw new UsageError(`${name} has no weights to normalize`);
      return;
    }
    checkBounds(name, step);
    if ("measure" in step && step.measure !== "weight") checkGuards(name, step.measure);
    const ofWeight = step.action === "truncate" || ("measure" in step && step.measure === "weight");
    if (ofWeight && !weight) throw new UsageError(`${name} has no weight to compare with its bounds`);
    const ratio =
      ofWeight ||
      ("measure" in step && step.measure !== "weight" && POSITIVE.includes(step.measure.statistic));
    if (ratio && step.upper !== undefined && step.upper <= 0) {
      throw new UsageError(
        `${name} bounds a ratio by ${step.upper}: ratios are positive, so nothing would be left`,
      );
    }
  });
}

function checkBounds(name: string, { lower, upper }: Bounds): void {
  for (const bound of [lower, upper]) {
    if (bound !== undefined && Number.isNaN(bound))
      throw new UsageError(`${name} has a bound that is not a number`);
  }
  if (lower === undefined && upper === undefined) throw new UsageError(`${name} has no bound`);
  if (lower !== undefined && upper !== undefined && lower > upper) {
    throw new UsageError(`${name} has its lower bound ${lower} above its upper bound ${upper}`, {
      likely: "the bounds are in another trainer's order",
    });
  }
}

function checkGuards(name: string, { statistic, probBound, restShift }: Measure): void {
  if (probBound === undefined && restShift === undefined) return;
  if (isBinaryKl(statistic) && isBetween(probBound, 0.5) && isBetween(restShift, 1)) return;
  throw new UsageError(
    `${name} has a guard that it cannot take: only a binary KL has prob, above 0 and below 0.5, and shift, below 1`,
  );
}

function isBetween(value: number | undefined, end: number): boolean {
  return value === undefined || (value > 0 && value < end);
}
