import { spearmanTest } from "../../../core/statistics/correlation.ts";
import { driftTest } from "../../../core/statistics/drift.ts";
import type { Trend } from "../../results/checkpoints.ts";
import { finite } from "./numbers.ts";

/** Below this many no order says anything. */
const FEWEST_CHECKPOINTS = 4;
/** Below this many there are too few increments for a test. */
const FEWEST_TESTED = 6;

/**
 * Whether a figure drifts over training. Values of successive checkpoints depend on each other: a path that only wanders
 * is ranked along with the step more often than not, so that no test of the values themselves holds. Tested are the
 * increments (`driftTest`).
 *
 * @returns undefined below four checkpoints or where the values are all equal; p null below six checkpoints
 */
export function findTrend(steps: readonly number[], values: readonly number[]): Trend | undefined {
  const { statistic: rho } = spearmanTest(steps, values);
  if (values.length < FEWEST_CHECKPOINTS || Number.isNaN(rho)) return undefined;
  return { rho, p_value: values.length < FEWEST_TESTED ? null : finite(driftTest(steps, values).pValue) };
}
